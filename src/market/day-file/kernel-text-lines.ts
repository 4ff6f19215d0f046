import { MessageKernel, PHASE } from '../kernel/message-kernel.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { SourceTypeName } from '../names/data-type-name.js';
import type { Period } from '../trade-bars.js';
import type { BatchTextLines } from './batch-text-lines.js';
import type { RowTally } from './row-tally.js';

const LF = 10;
const QUOTE = 34;

/** The longest row that the other way takes. */
const MOST_ROW = 1024 * 1024;
/** A book change of more text than this is for the other way, which keeps less of it. */
const MOST_CHANGE = 64 * 1024 * 1024;

/** The kernels of one thread. */
export type MessageKernels = Map<SourceTypeName, MessageKernel>;

/**
 * Text to lines (TextLines), with no columns between, of day files that are written as usual. At anything else, by its
 * first row, the other way takes over, and keeps this and all further files.
 */
export class KernelTextLines {
  readonly #kernel: MessageKernel;
  readonly #byBatches: (period: Period) => BatchTextLines;
  #period: Period;
  #phase: number = PHASE.before;
  #other: BatchTextLines | undefined;
  #tally: RowTally | undefined;
  /** Of the file, where the text begins that is held back. */
  #line = 1;
  /** Text that is not taken yet, and how much of it is worth a look. */
  #held: Buffer[] = [];
  #length = 0;
  #wanted = 0;

  constructor(
    type: SourceTypeName,
    period: Period,
    kernels: MessageKernels,
    byBatches: (period: Period) => BatchTextLines,
  ) {
    this.#kernel = kernels.get(type) ?? new MessageKernel(type);
    kernels.set(type, this.#kernel);
    this.#period = period;
    this.#byBatches = byBatches;
  }

  open(tally: RowTally): void {
    this.#other?.open(tally);
    this.#tally = tally;
    this.#line = 1;
    this.#hold([], this.#kernel.header.length);
  }

  push(text: Buffer, out: LineBuffer): void {
    if (this.#other) {
      this.#other.push(text, out);
      return;
    }
    this.#held.push(text);
    this.#length += text.length;
    if (text.includes(QUOTE)) this.#takeOther(out);
    else if (this.#length >= this.#wanted) this.#take(false, out);
    else this.#held[this.#held.length - 1] = Buffer.from(text);
  }

  end(out: LineBuffer): void {
    if (!this.#other) this.#take(true, out);
    this.#other?.end(out);
  }

  #take(isEnd: boolean, out: LineBuffer): void {
    const kernel = this.#kernel;
    const { header } = kernel;
    const text = kernel.load(this.#held);
    let from = 0;
    if (this.#line === 1) {
      if (this.#length < header.length || !header.equals(text.subarray(0, header.length))) {
        this.#takeOther(out);
        return;
      }
      from = header.length;
      this.#line = 2;
    }
    let to = this.#length;
    if (!isEnd) to = text.lastIndexOf(LF, to - 1) + 1;
    else if (to > from && text[to - 1] !== LF) text[to++] = LF;
    const tally = this.#opened();
    const made = kernel.make({ from, to, isEnd, period: this.#period, phase: this.#phase, tally }, out);
    this.#line += made.rows;
    this.#phase = made.phase;
    const rest = Buffer.from(kernel.text(made.position, this.#length));
    const hasRow = made.position < to;
    // Twice as much, or a large change would be looked through again with each piece of its text.
    this.#hold([rest], hasRow ? 2 * rest.length : 0);
    if (made.isOdd || rest.length > (hasRow ? MOST_CHANGE : MOST_ROW)) this.#takeOther(out);
  }

  #opened(): RowTally {
    if (!this.#tally) throw new Error('no day file is open');
    return this.#tally;
  }

  #hold(held: Buffer[], wanted: number): void {
    this.#held = held;
    this.#length = held.reduce((sum, { length }) => sum + length, 0);
    this.#wanted = wanted;
  }

  /** Leaves the rest of the file, from what is held back on, to the other way, which is where this one is. */
  #takeOther(out: LineBuffer): void {
    const { start, end } = this.#period;
    const other = this.#byBatches({
      start: this.#phase === PHASE.within ? Number.NEGATIVE_INFINITY : start,
      end: this.#phase === PHASE.behind ? Number.NEGATIVE_INFINITY : end,
    });
    if (this.#line === 1) other.open(this.#opened());
    else other.openAt(this.#opened(), this.#kernel.header, this.#line);
    this.#other = other;
    for (const text of this.#held) other.push(text, out);
    this.#hold([], 0);
  }
}
