import { TickhaulError } from '../../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory, type WasmVariable } from '../../base/wasm.js';
import { dataTypeColumns } from '../../day-files/data-types.js';
import { parseDecimal } from '../../format/csv/csv-cells.js';
import { MAX_NUMBER_BYTES, writeNumber } from '../../format/ndjson/write-json.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { LEVEL_KEYS, TAIL_TEXTS } from '../lines/line-parts.js';
import { MESSAGE_LAYOUTS } from '../lines/message-layouts.js';
import { EXCHANGE_MESSAGE_TYPES, type ExchangeMessageTypeName } from '../message-type-name.js';
import type { Period } from '../trade-bars.js';
import type { RowTally } from './row-tally.js';

/**
 * Lines are formatted in pieces that fit the processor's cache; a change with more levels enlarges the
 * buffer.
 */
const INITIAL_OUTPUT_BYTES = 256 * 1024;
/** Every line is longer. */
const MIN_LINE_BYTES = 64;

/**
 * Position of a file of book changes relative to the period (`BookRows`), as numbered in assembly/output.ts.
 */
export const PERIOD_PHASE = { before: 0, within: 1, after: 2 } as const;

interface TextRange {
  /** Start and end of the text to format: complete rows. */
  readonly from: number;
  readonly to: number;
  /** Whether the file ends at `to`. */
  readonly isEnd: boolean;
  readonly period: Period;
  readonly phase: number;
  /** Counts the rows. */
  readonly tally: RowTally;
}

interface KernelResult {
  /** Where it stopped: at the end of the text, at a change that may continue, or at an unusual row. */
  readonly position: number;
  readonly rows: number;
  /** Whether it stopped at a row in an unusual form. */
  readonly isUnusual: boolean;
  readonly phase: number;
}

/**
 * Formats the lines of one type directly from a day file's text; synchronous, one per thread. It keeps no
 * state between calls, so files may use it in turns.
 */
export class MessageKernel {
  readonly header: Buffer;
  readonly #memory = createOwnMemory();
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

  constructor(type: ExchangeMessageTypeName) {
    this.#module = loadMessageModule(this.#memory, {
      writeNumber: (at, length, to) => this.#writeNumber(at, length, to),
      isForeign: (at, length) => this.#isForeign(at, length),
    });
    this.#isChange = type === 'book_change';
    const template = createMessageTemplate(type);
    this.header = Buffer.from(template.header);
    this.#setTemplate(template);
    this.#allocateOutput(INITIAL_OUTPUT_BYTES);
  }

  /** Replaces the text, with room for a final LF. Returns it, valid until `format`. */
  load(parts: readonly Uint8Array[]): Buffer {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length + 1 > this.#textRoom) {
      this.#textRoom = Math.max(length + 1, 2 * this.#textRoom);
      this.#text = this.#allocate(this.#textRoom);
    }
    const getText = this.text(0, length + 1);
    let at = 0;
    for (const part of parts) {
      getText.set(part, at);
      at += part.length;
    }
    return getText;
  }

  /** A part of the loaded text; valid until `format`. */
  text(from: number, to: number): Buffer {
    return this.#memoryBytes().subarray(this.#text + from, this.#text + to);
  }

  /** Appends the lines of the text to `out`. */
  format({ from, to, isEnd, period, phase, tally }: TextRange, out: LineBuffer): KernelResult {
    const module = this.#module;
    module.setPeriod(period.start, period.end, phase);
    module.setTally(tally.period.start, tally.period.end, tally.last, tally.hasSymbol);
    this.#tally = tally;
    const end = this.#text + to;
    let at = this.#text + from;
    let rows = 0;
    for (;;) {
      const stop = this.#isChange
        ? module.formatChanges(at, end, out.length, isEnd)
        : module.formatRows(at, end, out.length);
      at = module.position.value;
      rows += module.rows.value;
      this.#appendLines(out);
      if (stop !== MESSAGE_STOP_REASON.noRoom) {
        const isUnusual = stop === MESSAGE_STOP_REASON.unusual;
        this.#addToTally(tally, rows);
        return { position: at - this.#text, rows, isUnusual, phase: module.phase.value };
      }
      if (module.lines.value === 0) this.#allocateOutput(2 * this.#outRoom);
    }
  }

  #appendLines(out: LineBuffer): void {
    const { lines, written } = this.#module;
    const { buffer } = this.#memory;
    out.append(
      new Uint8Array(buffer, this.#out, written.value - this.#out),
      new Int32Array(buffer, this.#ends, lines.value),
      new Float64Array(buffer, this.#times, lines.value),
    );
  }

  /** Writes a number that is not in JavaScript's shortest form, or might not be. */
  #writeNumber(at: number, length: number, to: number): number {
    const value = parseDecimal(this.#memoryBytes(), at, at + length);
    return typeof value === 'number' ? writeNumber(value, this.#view, to) - to : 0;
  }

  #isForeign(at: number, length: number): number {
    return this.#tally?.isForeign(this.#memoryBytes().toString('utf8', at, at + length)) ? 1 : 0;
  }

  #addToTally(tally: RowTally, rows: number): void {
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

  #setTemplate({ texts, columns, parts, fixedRoom }: MessageTemplate): void {
    this.#module.setTexts(this.#storeInts(texts.flatMap((text) => this.#storeText(text))), fixedRoom);
    const records = parts.flatMap(({ column, kind, key, missing }) => [
      ...[column, kind],
      ...this.#storeText(key),
      ...this.#storeText(missing),
    ]);
    this.#module.setColumns(this.#storeInts(columns), columns.length, this.#storeInts(records), parts.length);
  }

  #storeText(text: string): readonly [at: number, length: number] {
    const at = this.#allocate(text.length);
    return [at, this.#memoryBytes().write(text, at, 'latin1')];
  }

  #storeInts(values: readonly number[]): number {
    const at = this.#allocate(4 * values.length);
    new Int32Array(this.#memory.buffer, at, values.length).set(values);
    return at;
  }

  /** Allocates the buffers for lines. */
  #allocateOutput(room: number): void {
    const maxLines = Math.ceil(room / MIN_LINE_BYTES);
    this.#outRoom = room;
    this.#out = this.#allocate(room);
    this.#ends = this.#allocate(4 * maxLines);
    this.#times = this.#allocate(8 * maxLines);
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
      throw new TickhaulError(
        'usage',
        'a book change does not fit into 4 GiB of memory; this is not a day file',
      );
    }
    return at;
  }
}

/** Why formatting stopped, as numbered in assembly/output.ts. */
const MESSAGE_STOP_REASON = { done: 0, noRoom: 1, unusual: 2 } as const;

/** Exports of assembly/message-kernel.ts, which documents them. Addresses are those of its memory. */
interface MessageModule {
  /** Allocates a region; 0 if the memory is full. The region and 192 bytes after it may be written. */
  allocate(bytes: bigint): number;
  /**
   * @param texts addresses and lengths.
   * @param fixedRoom maximum size of a line without its row and levels.
   */
  setTexts(texts: number, fixedRoom: number): void;
  /** @param kinds kinds of the columns after the leading ones. @param parts 24 bytes each. */
  setColumns(kinds: number, columns: number, parts: number, count: number): void;
  /**
   * @param asks as large as the buffer at `out`.
   * @param ends 4 bytes per line.
   * @param times 8 bytes per line.
   */
  setOutput(out: number, outRoom: number, asks: number, ends: number, times: number): void;
  setPeriod(start: number, end: number, phase: number): void;
  formatRows(from: number, to: number, endsFrom: number): number;
  formatChanges(from: number, to: number, endsFrom: number, isEnd: boolean): number;
  readonly position: WasmVariable;
  readonly rows: WasmVariable;
  readonly written: WasmVariable;
  readonly lines: WasmVariable;
  readonly phase: WasmVariable;
  /** @param before local time of the row before the next call. */
  setTally(start: number, end: number, before: number, checksSymbol: boolean): void;
  readonly outside: WasmVariable;
  readonly backwards: WasmVariable;
  readonly foreign: WasmVariable;
  readonly last: WasmVariable;
}

/** Imports of the module. */
interface MessageImports {
  /** Writes the number at an address as JSON to another; returns its length, or 0 if it is not a number. */
  writeNumber(at: number, length: number, to: number): number;
  /** 1 if the symbol differs from the file's. */
  isForeign(at: number, length: number): number;
}

function loadMessageModule(memory: OwnWasmMemory, imports: MessageImports): MessageModule {
  const url = new URL('./message-kernel.wasm', import.meta.url);
  return instantiateSync<MessageModule>(url, memory, imports);
}

/** Kinds of cells, as numbered in assembly/rows.ts. */
const CELL_KIND = { number: 0, text: 1, time: 2 } as const;

/** A key and its cell. */
interface TemplatePart {
  /** Index among the columns after the leading ones. */
  readonly column: number;
  readonly kind: number;
  readonly key: string;
  /** Text in place of an empty cell. */
  readonly missing: string;
}

/** Layout of a type's lines, for the kernel. */
interface MessageTemplate {
  /** Header of the day files, with its LF. */
  readonly header: string;
  /** Text that occurs in every line, as numbered in assembly/output.ts. */
  readonly texts: readonly string[];
  /** Kinds of the columns after the leading four, if a message is one row. */
  readonly columns: readonly number[];
  readonly parts: readonly TemplatePart[];
  /** Maximum size of a line, in bytes, without the text of its row and its levels. */
  readonly fixedRoom: number;
}

/** Maximum number of bytes written after the end of a text. */
const SLACK_BYTES = 64;
const LEADING_COLUMN_COUNT = 4;

function createMessageTemplate(type: ExchangeMessageTypeName): MessageTemplate {
  const columns = dataTypeColumns(EXCHANGE_MESSAGE_TYPES[type]) ?? [];
  const isChange = type === 'book_change';
  const texts = [
    `{"type":"${type}","symbol":"`,
    '","exchange":"',
    isChange ? '","isSnapshot":' : '"',
    `${isChange ? ']' : ''}${TAIL_TEXTS.timestamp}`,
    TAIL_TEXTS.localTimestamp,
    TAIL_TEXTS.end,
    ',"bids":[',
    '],"asks":[',
    LEVEL_KEYS.price,
    LEVEL_KEYS.amount,
  ];
  const ownColumns = columns.slice(LEADING_COLUMN_COUNT);
  const parts = (type === 'book_change' ? [] : MESSAGE_LAYOUTS[type]).map(
    ({ key, column, kind, fallback }) => {
      const begin = `,${JSON.stringify(key)}:`;
      return {
        column: ownColumns.findIndex(({ name }) => name === column),
        kind: CELL_KIND[kind],
        key: kind === 'number' ? begin : `${begin}"`,
        missing: fallback === undefined ? '' : `${begin}"${fallback}"`,
      };
    },
  );
  const sizes = [
    ...texts.map((text) => text.length),
    ...parts.map(({ key, missing }) => key.length + missing.length + MAX_NUMBER_BYTES + 1),
  ];
  return {
    header: `${columns.map(({ name }) => name).join()}\n`,
    texts,
    columns: isChange
      ? []
      : ownColumns.map(({ kind }) => (kind === 'boolean' ? CELL_KIND.text : CELL_KIND[kind])),
    parts,
    fixedRoom: sizes.reduce((sum, size) => sum + size, 2 * MAX_NUMBER_BYTES + SLACK_BYTES),
  };
}
