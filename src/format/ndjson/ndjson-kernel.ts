import { isUtf8 } from 'node:buffer';
import type { TickhaulError } from '../../base/errors.js';
import {
  createSharedMemory,
  instantiate,
  WASM_PAGE_BYTES,
  type WasmMemory,
  type WasmVariable,
} from '../../base/wasm.js';
import { type Column, isNeverEmpty } from '../../day-files/data-types.js';
import type { Schema } from '../batch.js';
import { type Compress, loadCompressor } from '../compressor.js';
import {
  createRowError,
  findCellEnd,
  lineContaining,
  parseBoolean,
  parseDecimal,
  parseTimeUs,
  splitLine,
} from '../csv/csv-cells.js';
import { countRecordLines } from '../csv/quoted-records.js';
import {
  type BatchKernel,
  type EncodedBatch,
  type KernelJob,
  PIECE_CAPACITY_BYTES,
} from '../output-format.js';
import { columnKeys, maxLineOverheadBytes } from './line-limits.js';
import { countEscapeBytes, writeEscaped } from './write-json.js';

const LF = 10;
const LINE_END = Buffer.from('}\n');
const NO_BYTES = Buffer.alloc(0);

/**
 * Converts CSV text to NDJSON text without intermediate columns.
 * @param cells those of `job.options`.
 * @param keys text before each cell of a line.
 */
export async function createNdjsonKernel(
  job: KernelJob,
  cells: CellOptions,
  compression = job.options.compression,
  keys = columnKeys(job.schema),
): Promise<BatchKernel> {
  const compress = compression === 'none' ? undefined : await loadCompressor(compression);
  const memory = new LineMemory(job.schema, cells, keys);
  return new NdjsonKernel(job, cells, memory, await loadNdjsonModule(memory), compress);
}

class NdjsonKernel implements BatchKernel {
  source: string;
  line = 2;
  readonly #job: KernelJob;
  readonly #cells: CellOptions;
  readonly #memory: LineMemory;
  readonly #module: NdjsonModule;
  readonly #compress: Compress | undefined;
  /** Number of rows of the current batch, and end of its lines. */
  #rows = 0;
  #end: number;

  constructor(
    job: KernelJob,
    cells: CellOptions,
    memory: LineMemory,
    module: NdjsonModule,
    compress: Compress | undefined,
  ) {
    this.source = job.source;
    this.#job = job;
    this.#cells = cells;
    this.#memory = memory;
    this.#module = module;
    this.#compress = compress;
    this.#end = memory.start;
  }

  getPieceBuffer(): Buffer {
    const { bytes, piece } = this.#memory;
    return bytes.subarray(piece, piece + PIECE_CAPACITY_BYTES);
  }

  parse(length: number): void {
    const memory = this.#memory;
    let from = memory.piece;
    let to = from + length;
    if (length > 0 && memory.bytes[to - 1] !== LF) memory.bytes[to++] = LF;
    let column = 0;
    for (;;) {
      const stop = this.#module.format(from, to, column, this.#end, memory.limit);
      from = this.#module.position.value;
      column = this.#module.column.value;
      this.#end = this.#module.written.value;
      this.#countRows(this.#module.rows.value);
      if (stop === NDJSON_STOP_REASON.done) return;
      if (stop === NDJSON_STOP_REASON.noRoom)
        this.#end = memory.reserve(this.#end, memory.fixedRoom + to - from);
      else {
        from = this.#appendUnusualCell(from, to, column);
        column = (column + 1) % this.#job.schema.length;
      }
    }
  }

  appendRow(cells: readonly Uint8Array[]): void {
    const { schema } = this.#job;
    if (cells.length !== schema.length) throw this.#createError(cells, 0, undefined);
    for (const [column, cell] of cells.entries()) {
      const problem = this.#appendCell(column, Buffer.from(cell));
      if (problem !== undefined) throw this.#createError(cells, column, problem);
    }
    this.#rows++;
    this.line += countRecordLines(cells);
  }

  finish(): EncodedBatch | undefined {
    const rows = this.#rows;
    if (rows === 0) return undefined;
    const { memory, start } = this.#memory;
    const lines = new Uint8Array(memory.buffer, start, this.#end - start);
    // Complete frames: the concatenated frames of all batches are a valid file (ndjson-writer.ts).
    const bytes = this.#compress ? new Uint8Array(this.#compress(lines, 'fast')) : lines;
    if (!this.#compress) this.#memory.swapRegions();
    this.#rows = 0;
    this.#end = this.#memory.start;
    return { rows, bytes };
  }

  #countRows(count: number): void {
    this.#rows += count;
    this.line += count;
  }

  /** Appends the cell at an address; returns the address of the next one. */
  #appendUnusualCell(address: number, to: number, column: number): number {
    const { bytes, piece } = this.#memory;
    const text = bytes.subarray(piece, to);
    const start = address - piece;
    const isLast = column === this.#job.schema.length - 1;
    const cell = findCellEnd(text, start, isLast);
    // Copy: the text is in shared memory, which parts of Node's API reject.
    const problem = cell && this.#appendCell(column, Buffer.from(text.subarray(start, cell.end)));
    if (!cell || problem !== undefined)
      throw this.#createError(splitLine(lineContaining(text, start)), column, problem);
    if (isLast) this.#countRows(1);
    return piece + cell.next;
  }

  /**
   * Writes a cell after its key, and the end of the line after the last cell. Returns the problem with the
   * cell, if any.
   */
  #appendCell(index: number, cell: Buffer): string | undefined {
    const column = this.#job.schema[index] as Column;
    const result = formatJsonCell(column, cell, this.#cells);
    if ('problem' in result) return result.problem;
    const end = index === this.#job.schema.length - 1 ? LINE_END : NO_BYTES;
    for (const part of [this.#memory.keys[index] ?? NO_BYTES, result.json, end]) {
      this.#end = this.#memory.reserve(this.#end, part.length);
      this.#memory.bytes.set(part, this.#end);
      this.#end += part.length;
    }
    return undefined;
  }

  #createError(cells: readonly Uint8Array[], column: number, problem: string | undefined): TickhaulError {
    const names = this.#job.schema.map(({ name }) => name);
    return createRowError({ source: this.source, line: this.line }, names, cells, column, problem);
  }
}

/** Reason why `format` stopped: end of the text, unusual cell, or missing memory. */
export const NDJSON_STOP_REASON = { done: 0, unusual: 1, noRoom: 2 } as const;

/** Exports of ../assembly/ndjson-kernel.ts, which documents them. Addresses are those of its memory. */
interface NdjsonModule {
  setup(records: number, columns: number, leading: number, fixedRoom: number): void;
  /**
   * @param column column of the first row at which the text at `from` begins.
   * @param out address for the lines, which end before `limit`.
   */
  format(from: number, to: number, column: number, out: number, limit: number): number;
  /** Where it stopped: address in the text, column, address in the output, and number of completed rows. */
  readonly position: WasmVariable;
  readonly column: WasmVariable;
  readonly written: WasmVariable;
  readonly rows: WasmVariable;
}

/** Creates the kernel for the columns in a memory. */
export async function loadNdjsonModule(memory: LineMemory): Promise<NdjsonModule> {
  const url = new URL('./ndjson-kernel.wasm', import.meta.url);
  const module = await instantiate<NdjsonModule>(url, memory.memory);
  module.setup(memory.records, memory.keys.length, memory.leading, memory.fixedRoom);
  return module;
}

/** Kinds of cells as numbered in ../assembly/ndjson-kernel.ts. */
const CELL_KINDS = { time: 0, number: 1, boolean: 2, text: 3, isoTime: 4, quotedNumber: 5 } as const;

/** Start of the column records; the kernel uses the memory below for itself. */
const RECORDS_OFFSET = 16_384;
/** Size of a column record: kind, address and length of the key, whether cells may be empty. */
const RECORD_BYTES = 16;
/** Maximum distance at which the kernel reads and writes after the end of a region. */
const SLACK_BYTES = 64;
/** Limits the columns, up to the first number, that are compared with those of the previous row. */
const MAX_LEADING_COLUMNS = 256;

/** Initial size of the region for a batch's lines; usual batches have 1 to 4 MB. */
const INITIAL_LINES_BYTES = 4 * 1024 * 1024;

/** Region for the lines of a batch. */
interface LineRegion {
  readonly start: number;
  readonly size: number;
}

/**
 * Memory of a kernel: column records and keys, one piece of text, and the lines of the current and the
 * previous batch.
 */
export class LineMemory {
  readonly memory: WasmMemory;
  readonly keys: readonly Buffer[];
  readonly records = RECORDS_OFFSET;
  readonly leading: number;
  /** Maximum size of a line without the text of its row, plus the slack. */
  readonly fixedRoom: number;
  /** Address of the piece. */
  readonly piece: number;
  #bytes: Buffer;
  #regions: readonly [LineRegion, LineRegion];
  /** Start of the free memory. */
  #top: number;

  constructor(schema: Schema, options: CellOptions, keys = columnKeys(schema)) {
    this.keys = keys;
    const firstNumber = schema.findIndex(({ kind }) => kind === 'number');
    this.leading = Math.min(firstNumber < 0 ? schema.length : firstNumber, MAX_LEADING_COLUMNS);
    this.fixedRoom = maxLineOverheadBytes(schema) + SLACK_BYTES;
    const keysStart = RECORDS_OFFSET + RECORD_BYTES * schema.length;
    this.piece = this.keys.reduce((at, key) => at + key.length, keysStart) + SLACK_BYTES;
    const first = this.piece + PIECE_CAPACITY_BYTES + 1 + SLACK_BYTES;
    this.#top = first + 2 * INITIAL_LINES_BYTES;
    this.#regions = [
      { start: first, size: INITIAL_LINES_BYTES },
      { start: first + INITIAL_LINES_BYTES, size: INITIAL_LINES_BYTES },
    ];
    this.memory = createSharedMemory(this.#top);
    this.#bytes = Buffer.from(this.memory.buffer);
    let keyAt = keysStart;
    for (const [i, column] of schema.entries()) {
      const key = this.keys[i] ?? Buffer.alloc(0);
      const record = [getCellKind(column, options), keyAt, key.length, isNeverEmpty(column) ? 0 : 1];
      for (const [j, value] of record.entries())
        this.#bytes.writeInt32LE(value, RECORDS_OFFSET + RECORD_BYTES * i + 4 * j);
      this.#bytes.set(key, keyAt);
      keyAt += key.length;
    }
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Start of the current batch's lines. */
  get start(): number {
    return this.#regions[0].start;
  }

  /** End of the region for the current batch's lines. */
  get limit(): number {
    return this.start + this.#regions[0].size;
  }

  /** Keeps the lines of the current batch. The next batch overwrites those of the previous one. */
  swapRegions(): void {
    const [current, other] = this.#regions;
    this.#regions = [other, current];
  }

  /**
   * Ensures `room` bytes after `end`, the end of the current batch's lines. Returns the new end. A region
   * that is too small is abandoned; this wastes little, as each region has at least twice the size of the one
   * before.
   */
  reserve(end: number, room: number): number {
    if (end + room <= this.limit) return end;
    const [current, other] = this.#regions;
    const size = Math.max(2 * current.size, end - current.start + room);
    const enlarged = { start: this.#top, size };
    this.#top += size;
    const missing = this.#top - this.#bytes.length;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
      this.#bytes = Buffer.from(this.memory.buffer);
    }
    this.#bytes.copyWithin(enlarged.start, current.start, end);
    this.#regions = [enlarged, other];
    return enlarged.start + end - current.start;
  }
}

function getCellKind({ kind }: Column, { times, numbers }: CellOptions): number {
  if (kind === 'time') return times === 'iso' ? CELL_KINDS.isoTime : CELL_KINDS.time;
  if (kind === 'number') return numbers === 'string' ? CELL_KINDS.quotedNumber : CELL_KINDS.number;
  return kind === 'integer' ? CELL_KINDS.time : CELL_KINDS[kind];
}

export interface CellOptions {
  /** `int`: integer microseconds; `iso`: ISO 8601 with six decimals, as a string. */
  readonly times: 'int' | 'iso';
  /** `double`: the CSV's digits as a JSON number; `string`: the exact text of the CSV as a JSON string. */
  readonly numbers: 'double' | 'string';
}

/** JSON text of a cell, or the problem with the cell, as the end of a sentence. */
type JsonCell = { readonly json: Uint8Array } | { readonly problem: string };

/**
 * Formats any cell as JSON; used for cells in an unusual form. Numbers keep the CSV's digits, except leading
 * zeros, which JSON does not allow (RFC 8259, section 6): `007.50` becomes 7.50. An empty cell is null.
 * The forms of cells are those of docs/spec/ndjson-mapping.md#values.
 */
function formatJsonCell(column: Column, cell: Buffer, options: CellOptions): JsonCell {
  if (cell.length === 0) {
    return isNeverEmpty(column) ? { problem: 'is empty, but a value is required' } : ascii('null');
  }
  switch (column.kind) {
    case 'text':
      return isUtf8(cell) ? { json: formatJsonText(cell) } : { problem: 'is not UTF-8 text' };
    case 'boolean': {
      const value = parseBoolean(cell, 0, cell.length);
      return typeof value === 'string' ? { problem: value } : ascii(value === 1 ? 'true' : 'false');
    }
    case 'integer': {
      const value = parseTimeUs(cell, 0, cell.length);
      return typeof value === 'string' ? { problem: value } : ascii(String(value));
    }
    case 'time': {
      const value = parseTimeUs(cell, 0, cell.length);
      if (typeof value === 'string') return { problem: value };
      return ascii(options.times === 'iso' ? `"${formatIsoTime(value)}"` : String(value));
    }
    case 'number': {
      const value = parseDecimal(cell, 0, cell.length);
      if (typeof value === 'string') return { problem: value };
      const digits = cell.toString('latin1');
      return ascii(options.numbers === 'string' ? `"${digits}"` : digits.replace(/^(-?)0+(?=\d)/, '$1'));
    }
  }
}

/**
 * Formats integer microseconds as ISO 8601 with six decimals, `2024-03-01T00:00:00.123456Z`. Times up to 2^53
 * - 1 in magnitude are in the years 1684 to 2255, so a year has four digits.
 */
export function formatIsoTime(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}Z`;
}

function formatJsonText(text: Uint8Array): Uint8Array {
  const json = new Uint8Array(text.length + countEscapeBytes(text, 0, text.length) + 2).fill(0x22);
  writeEscaped(text, 0, text.length, json, 1);
  return json;
}

function ascii(text: string): JsonCell {
  return { json: Buffer.from(text, 'latin1') };
}
