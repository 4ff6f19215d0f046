import { MessageKernel, PERIOD_PHASE } from '../kernel/message-kernel.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { ExchangeMessageTypeName } from '../names/message-type-name.js';
import type { Period } from '../trade-bars.js';
import type { BatchTextLines } from './batch-text-lines.js';
import type { RowTally } from './row-tally.js';

const LF = 10;
const QUOTE = 34;

/** Maximum row length of `BatchTextLines`. */
const MAX_ROW_BYTES = 1024 * 1024;
/** Larger book changes are left to `BatchTextLines`, which holds less text. */
const MAX_CHANGE_BYTES = 64 * 1024 * 1024;

/** Kernels of one thread. */
export type MessageKernels = Map<ExchangeMessageTypeName, MessageKernel>;

/**
 * Formats text as lines without intermediate columns (`TextLines`). From the first row in an unusual form on,
 * `BatchTextLines` takes over, also for all further files.
 */
export class KernelTextLines {
  readonly #kernel: MessageKernel;
  readonly #createBatchLines: (period: Period) => BatchTextLines;
  #period: Period;
  #phase: number = PERIOD_PHASE.before;
  #batchLines: BatchTextLines | undefined;
  #tally: RowTally | undefined;
  /** Line of the file at the start of the held text. */
  #line = 1;
  /** Text that is not yet formatted, and the length from which formatting is worthwhile. */
  #held: Buffer[] = [];
  #length = 0;
  #minLength = 0;

  constructor(
    type: ExchangeMessageTypeName,
    period: Period,
    kernels: MessageKernels,
    createBatchLines: (period: Period) => BatchTextLines,
  ) {
    this.#kernel = kernels.get(type) ?? new MessageKernel(type);
    kernels.set(type, this.#kernel);
    this.#period = period;
    this.#createBatchLines = createBatchLines;
  }

  open(tally: RowTally): void {
    this.#batchLines?.open(tally);
    this.#tally = tally;
    this.#line = 1;
    this.#setHeld([], this.#kernel.header.length);
  }

  push(text: Buffer, out: LineBuffer): void {
    if (this.#batchLines) {
      this.#batchLines.push(text, out);
      return;
    }
    this.#held.push(text);
    this.#length += text.length;
    if (text.includes(QUOTE)) this.#switchToBatches(out);
    else if (this.#length >= this.#minLength) this.#format(false, out);
    else this.#held[this.#held.length - 1] = Buffer.from(text);
  }

  end(out: LineBuffer): void {
    if (!this.#batchLines) this.#format(true, out);
    this.#batchLines?.end(out);
  }

  #format(isEnd: boolean, out: LineBuffer): void {
    const kernel = this.#kernel;
    const { header } = kernel;
    const text = kernel.load(this.#held);
    let from = 0;
    if (this.#line === 1) {
      if (this.#length < header.length || !header.equals(text.subarray(0, header.length))) {
        this.#switchToBatches(out);
        return;
      }
      from = header.length;
      this.#line = 2;
    }
    let to = this.#length;
    if (!isEnd) to = text.lastIndexOf(LF, to - 1) + 1;
    else if (to > from && text[to - 1] !== LF) text[to++] = LF;
    const tally = this.#getTally();
    const result = kernel.format({ from, to, isEnd, period: this.#period, phase: this.#phase, tally }, out);
    this.#line += result.rows;
    this.#phase = result.phase;
    const rest = Buffer.from(kernel.text(result.position, this.#length));
    const hasRow = result.position < to;
    // Double the length: otherwise each piece of a large change would scan the whole change again.
    this.#setHeld([rest], hasRow ? 2 * rest.length : 0);
    if (result.isUnusual || rest.length > (hasRow ? MAX_CHANGE_BYTES : MAX_ROW_BYTES))
      this.#switchToBatches(out);
  }

  #getTally(): RowTally {
    if (!this.#tally) throw new Error('no day file is open');
    return this.#tally;
  }

  #setHeld(held: Buffer[], minLength: number): void {
    this.#held = held;
    this.#length = held.reduce((sum, { length }) => sum + length, 0);
    this.#minLength = minLength;
  }

  /** Passes the rest of the file, starting with the held text, to `BatchTextLines`, at the same position. */
  #switchToBatches(out: LineBuffer): void {
    const { start, end } = this.#period;
    const batchLines = this.#createBatchLines({
      start: this.#phase === PERIOD_PHASE.within ? Number.NEGATIVE_INFINITY : start,
      end: this.#phase === PERIOD_PHASE.after ? Number.NEGATIVE_INFINITY : end,
    });
    if (this.#line === 1) batchLines.open(this.#getTally());
    else batchLines.openAt(this.#getTally(), this.#kernel.header, this.#line);
    this.#batchLines = batchLines;
    for (const text of this.#held) batchLines.push(text, out);
    this.#setHeld([], 0);
  }
}
