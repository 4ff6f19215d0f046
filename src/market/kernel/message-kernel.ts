import { TickhaulError } from '../../base/errors.js';
import { parseDecimal } from '../../format/csv/number.js';
import { createMemory } from '../../format/kernel/wasm.js';
import type { RowTally } from '../day-file/row-tally.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { writeNumber } from '../lines/number-text.js';
import type { SourceTypeName } from '../names/data-type-name.js';
import type { Period } from '../trade-bars.js';
import { loadMessageModule, type MessageModule, STOP } from './message-module.js';
import { type MessageTemplate, templateOf } from './message-template.js';

/** Lines are made in pieces that stay near the processor; a change of more levels makes it larger. */
const FIRST_ROOM = 256 * 1024;
/** Less than any line has. */
const LEAST_LINE = 64;

/** Where a file of book changes lies to the period (BookRows), as assembly/output.ts numbers it. */
export const PHASE = { before: 0, within: 1, behind: 2 } as const;

export interface Stretch {
  /** Where the text begins and ends that is to be taken: whole rows. */
  readonly from: number;
  readonly to: number;
  /** Whether the file ends there. */
  readonly isEnd: boolean;
  readonly period: Period;
  readonly phase: number;
  /** Counts the rows. */
  readonly tally: RowTally;
}

export interface Made {
  /** Where it stopped: at the text's end, at a change that might go on, or at what it doesn't take. */
  readonly position: number;
  readonly rows: number;
  /** Whether what stands there is for another way. */
  readonly isOdd: boolean;
  readonly phase: number;
}

/**
 * Makes the lines of one type straight from a day file's text; synchronous, one a thread. It keeps nothing from one
 * call to the next, so files may use it in turns.
 */
export class MessageKernel {
  readonly header: Buffer;
  readonly #memory = createMemory();
  readonly #module: MessageModule;
  readonly #isChange: boolean;
  #bytes = Buffer.alloc(0);
  #view = new DataView(new ArrayBuffer(0));
  #text = 0;
  #textRoom = 0;
  #out = 0;
  #ends = 0;
  #times = 0;
  #outRoom = 0;
  #tally: RowTally | undefined;

  constructor(type: SourceTypeName) {
    this.#module = loadMessageModule(this.#memory, {
      writeNumber: (at, length, to) => this.#writeNumber(at, length, to),
      isForeign: (at, length) => this.#isForeign(at, length),
    });
    this.#isChange = type === 'book_change';
    const template = templateOf(type);
    this.header = Buffer.from(template.header);
    this.#setUp(template);
    this.#makeRoom(FIRST_ROOM);
  }

  /** Puts text in, in place of what was there, with room for an LF behind it; returns it, good until `make`. */
  load(parts: readonly Uint8Array[]): Buffer {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length + 1 > this.#textRoom) {
      this.#textRoom = Math.max(length + 1, 2 * this.#textRoom);
      this.#text = this.#allocate(this.#textRoom);
    }
    const text = this.text(0, length + 1);
    let at = 0;
    for (const part of parts) {
      text.set(part, at);
      at += part.length;
    }
    return text;
  }

  /** Some of the text that was put in; good until more is made. */
  text(from: number, to: number): Buffer {
    return this.#memoryBytes().subarray(this.#text + from, this.#text + to);
  }

  /** Adds the lines of the text. */
  make({ from, to, isEnd, period, phase, tally }: Stretch, out: LineBuffer): Made {
    const module = this.#module;
    module.setPeriod(period.start, period.end, phase);
    module.setTally(tally.period.start, tally.period.end, tally.last, tally.hasSymbol);
    this.#tally = tally;
    const end = this.#text + to;
    let at = this.#text + from;
    let rows = 0;
    for (;;) {
      const stop = this.#isChange
        ? module.makeChanges(at, end, out.length, isEnd)
        : module.makeRows(at, end, out.length);
      at = module.position.value;
      rows += module.rows.value;
      this.#handOver(out);
      if (stop !== STOP.noRoom) {
        const isOdd = stop === STOP.odd;
        this.#addTo(tally, rows);
        return { position: at - this.#text, rows, isOdd, phase: module.phase.value };
      }
      if (module.lines.value === 0) this.#makeRoom(2 * this.#outRoom);
    }
  }

  #handOver(out: LineBuffer): void {
    const { lines, written } = this.#module;
    const { buffer } = this.#memory;
    out.append(
      new Uint8Array(buffer, this.#out, written.value - this.#out),
      new Int32Array(buffer, this.#ends, lines.value),
      new Float64Array(buffer, this.#times, lines.value),
    );
  }

  /** What is not in JavaScript's shortest form, or not known to be. */
  #writeNumber(at: number, length: number, to: number): number {
    const value = parseDecimal(this.#memoryBytes(), at, at + length);
    return typeof value === 'number' ? writeNumber(value, this.#view, to) - to : 0;
  }

  #isForeign(at: number, length: number): number {
    return this.#tally?.isForeign(this.#memoryBytes().toString('utf8', at, at + length)) ? 1 : 0;
  }

  #addTo(tally: RowTally, rows: number): void {
    const { outside, backwards, foreign, last } = this.#module;
    tally.rows += rows;
    tally.outside += outside.value;
    tally.backwards += backwards.value;
    tally.foreign += foreign.value;
    tally.last = last.value;
  }

  #memoryBytes(): Buffer {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = Buffer.from(buffer);
      this.#view = new DataView(buffer);
    }
    return this.#bytes;
  }

  #setUp({ texts, columns, parts, fixedRoom }: MessageTemplate): void {
    this.#module.setTexts(this.#putInts(texts.flatMap((text) => this.#putText(text))), fixedRoom);
    const records = parts.flatMap(({ column, kind, key, missing }) => [
      ...[column, kind],
      ...this.#putText(key),
      ...this.#putText(missing),
    ]);
    this.#module.setColumns(this.#putInts(columns), columns.length, this.#putInts(records), parts.length);
  }

  #putText(text: string): readonly [at: number, length: number] {
    const at = this.#allocate(text.length);
    return [at, this.#memoryBytes().write(text, at, 'latin1')];
  }

  #putInts(values: readonly number[]): number {
    const at = this.#allocate(4 * values.length);
    new Int32Array(this.#memory.buffer, at, values.length).set(values);
    return at;
  }

  /** Room for lines, in place of what there was. */
  #makeRoom(room: number): void {
    const most = Math.ceil(room / LEAST_LINE);
    this.#outRoom = room;
    this.#out = this.#allocate(room);
    this.#ends = this.#allocate(4 * most);
    this.#times = this.#allocate(8 * most);
    this.#module.setOutput(
      this.#out,
      room,
      this.#isChange ? this.#allocate(room) : 0,
      this.#ends,
      this.#times,
    );
  }

  #allocate(bytes: number): number {
    const at = this.#module.allocate(BigInt(bytes)) >>> 0;
    if (at === 0) {
      throw new TickhaulError('usage', 'a book change is too large for 4 GiB of memory: this is no day file');
    }
    return at;
  }
}
