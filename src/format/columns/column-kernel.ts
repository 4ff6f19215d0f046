import { isUtf8 } from 'node:buffer';
import type { TickhaulError } from '../../base/errors.js';
import type { Column, ColumnKind } from '../../day-files/data-types.js';
import { ByteWriter } from '../byte-writer.js';
import {
  createRowError,
  findCellEnd,
  lineContaining,
  type ParsedCell,
  parseBoolean,
  parseDecimal,
  parseTimeUs,
  splitLine,
} from '../csv/csv-cells.js';
import { countRecordLines } from '../csv/quoted-records.js';
import {
  type BatchKernel,
  COLUMN_BATCHES,
  type EncodedBatch,
  type KernelJob,
  PIECE_CAPACITY_BYTES,
} from '../output-format.js';
import { ColumnMemory } from './column-memory.js';

const LF = 10;

/**
 * Initial size of an output buffer, which usual batches do not exceed: a growing buffer touches twice as much memory.
 * Untouched pages take none, but the garbage collector runs for so much memory: a small batch begins with less.
 */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MIN_OUTPUT_BYTES = 64 * 1024;
/** Room for each byte of text: a number of two characters has eight bytes. */
const OUTPUT_BYTES_PER_TEXT_BYTE = 4;

/** Encodes and removes the batch of a memory, synchronously. Its bytes replace the content of `out`. */
export type ColumnBatchEncoder<Encoded extends EncodedBatch = EncodedBatch> = (out: ByteWriter) => Encoded;

/**
 * Converts CSV text to columns, which are encoded batch by batch.
 * @param createEncoder creates the encoder for the batches of a memory.
 */
export function createColumnKernel(
  { source, schema, options }: KernelJob,
  createEncoder: (memory: ColumnMemory) => ColumnBatchEncoder,
): BatchKernel {
  const memory = new ColumnMemory();
  memory.open(
    schema,
    COLUMN_BATCHES.rows(options, schema.length),
    options.numbers === 'string' ? 'all' : 'none',
  );
  return new ColumnKernel(memory, new ColumnParser(memory, source, 2), createEncoder(memory));
}

class ColumnKernel implements BatchKernel {
  readonly #memory: ColumnMemory;
  readonly #parser: ColumnParser;
  readonly #encode: ColumnBatchEncoder;
  /**
   * Used in turns, so that one batch can be written while the next is encoded. Shared, so that any thread can
   * write.
   */
  readonly #writers: [first?: ByteWriter, second?: ByteWriter] = [];
  #batchCount = 0;
  /** Text of the current batch. */
  #textBytes = 0;

  constructor(memory: ColumnMemory, parser: ColumnParser, encode: ColumnBatchEncoder) {
    this.#memory = memory;
    this.#parser = parser;
    this.#encode = encode;
  }

  get source(): string {
    return this.#parser.source;
  }

  set source(source: string) {
    this.#parser.source = source;
  }

  get line(): number {
    return this.#parser.line;
  }

  set line(line: number) {
    this.#parser.line = line;
  }

  getPieceBuffer(): Buffer {
    return this.#memory.piece.subarray(0, PIECE_CAPACITY_BYTES);
  }

  parse(length: number): void {
    const { piece } = this.#memory;
    let end = length;
    if (end > 0 && piece[end - 1] !== LF) piece[end++] = LF;
    this.#textBytes += end;
    if (this.#parser.parse(0, end) < end) throw new Error(`${this.source}: a batch has too many rows`);
  }

  appendRow(cells: readonly Uint8Array[]): void {
    for (const cell of cells) this.#textBytes += cell.length + 1;
    this.#parser.appendRow(cells);
  }

  finish(): EncodedBatch | undefined {
    if (this.#memory.rows === 0) return undefined;
    const turn = this.#batchCount++ % 2 === 0 ? 0 : 1;
    this.#writers[turn] ??= createSharedWriter(this.#textBytes);
    this.#textBytes = 0;
    return this.#encode(this.#writers[turn]);
  }
}

function createSharedWriter(textBytes: number): ByteWriter {
  const usual = Math.max(MIN_OUTPUT_BYTES, OUTPUT_BYTES_PER_TEXT_BYTE * textBytes);
  const first = Math.min(usual, MAX_OUTPUT_BYTES);
  return new ByteWriter(first, (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
}

/** Reason why the parser in assembly/rows.ts stopped. */
const STOP_REASON = { done: 0, full: 1, cell: 2, noRoom: 3 } as const;

const COMMA = 44;

type ParseCell = (bytes: Buffer, start: number, end: number) => ParsedCell;

const CELL_PARSERS = {
  time: parseTimeUs,
  integer: parseTimeUs,
  number: parseDecimal,
  boolean: parseBoolean,
} as const satisfies Record<Exclude<ColumnKind, 'text'>, ParseCell>;

/**
 * Parses CSV text into the columns of a memory. WebAssembly parses cells in their usual form, and stops at
 * all others. These are parsed here, so only this class decides what is an error.
 */
export class ColumnParser {
  /** The file's path, for messages. */
  source: string;
  /** Line of the file at which the next row begins. */
  line: number;
  readonly #memory: ColumnMemory;
  readonly #names: readonly string[];
  /** Buffer for one cell of a row that is passed as cells. */
  #cell = 0;
  #cellRoom = 0;

  /** @param memory its columns are open. */
  constructor(memory: ColumnMemory, source: string, line: number) {
    this.#memory = memory;
    this.source = source;
    this.line = line;
    this.#names = memory.schema.map(({ name }) => name);
  }

  /**
   * Parses complete rows of the memory's piece, from `from` up to `to`, until the memory has all rows of a batch.
   * Returns where it stopped.
   * @param full position at which no more row may begin.
   * @throws TickhaulError `corrupt`, with line, column and cell; `usage` if the memory is full.
   */
  parse(from: number, to: number, full = to): number {
    const { kernel, pieceStart } = this.#memory;
    const rowsBefore = this.#memory.rows;
    const end = pieceStart + to;
    let stop = kernel.parseRows(pieceStart + from, end, pieceStart + full);
    while (stop === STOP_REASON.cell)
      stop = kernel.resumeAfterCell(pieceStart + this.#parseUnusualCell(rowsBefore), end);
    this.line += this.#memory.rows - rowsBefore;
    if (stop === STOP_REASON.noRoom) throw this.#memory.createFullError();
    return stop === STOP_REASON.full ? kernel.cellStart.value - pieceStart : to;
  }

  /** Appends a row of unquoted cells. Throws as `parse` does; there must be room for a row. */
  appendRow(cells: readonly Uint8Array[]): void {
    const { schema, kernel } = this.#memory;
    if (cells.length !== schema.length) throw this.#createError(cells, 0, undefined);
    for (const [i, column] of schema.entries()) {
      const cell = Buffer.from(cells[i] as Uint8Array);
      const problem = this.#appendCell(column, i, cell, this.#copyToMemory(cell));
      if (problem !== undefined) throw this.#createError(cells, i, problem);
    }
    kernel.endRow();
    this.line += countRecordLines(cells);
  }

  /** Parses the cell at which the parser stopped. Returns the start of the next cell in the piece. */
  #parseUnusualCell(rowsBefore: number): number {
    const { kernel, schema, piece, pieceStart } = this.#memory;
    const i = kernel.cellColumn.value;
    const start = kernel.cellStart.value - pieceStart;
    const found = findCellEnd(piece, start, i === schema.length - 1);
    const cell = piece.subarray(start, found?.end);
    const problem = found && this.#appendCell(schema[i] as Column, i, cell, pieceStart + start);
    if (found && problem === undefined) return found.next;
    this.line += this.#memory.rows - rowsBefore;
    throw this.#createError(splitLine(lineContaining(this.#memory.piece, start)), i, problem);
  }

  /** Appends a cell, which is also at `address`, to the current row. Returns the problem with it, if any. */
  #appendCell(column: Column, index: number, cell: Buffer, address: number): string | undefined {
    const { kernel } = this.#memory;
    const { length } = cell;
    let hasRoom: number;
    if (length === 0) {
      if (this.#memory.isRequired(column)) return 'is empty, but a value is required';
      hasRoom = kernel.appendNull(index);
    } else if (column.kind === 'text') {
      if (!isUtf8(cell)) return 'is not UTF-8 text';
      hasRoom = kernel.appendText(index, address, length);
    } else {
      const value = CELL_PARSERS[column.kind](cell, 0, length);
      if (typeof value === 'string') return value;
      hasRoom = kernel.appendValue(index, value, address, length);
    }
    if (hasRoom === 0) throw this.#memory.createFullError();
    return undefined;
  }

  /** The separator after it ends its digits. */
  #copyToMemory(cell: Uint8Array): number {
    if (cell.length > this.#cellRoom) {
      this.#cellRoom = Math.max(cell.length, 2 * this.#cellRoom, 1024);
      this.#cell = this.#memory.allocate(this.#cellRoom);
    }
    this.#memory.bytes.set(cell, this.#cell);
    this.#memory.bytes[this.#cell + cell.length] = COMMA;
    return this.#cell;
  }

  #createError(cells: readonly Uint8Array[], column: number, problem: string | undefined): TickhaulError {
    return createRowError({ source: this.source, line: this.line }, this.#names, cells, column, problem);
  }
}
