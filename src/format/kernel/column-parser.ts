import { isUtf8 } from 'node:buffer';
import type { TickhaulError } from '../../base/errors.js';
import { type Column, type ColumnKind, isNeverEmpty } from '../../dataset/data-types.js';
import { createRowError } from '../csv/csv-errors.js';
import { type ParsedCell, parseBoolean, parseDecimal, parseTimeUs } from '../csv/parse-cell.js';
import { countRecordLines } from '../csv/quoted-records.js';
import { findCellEnd, lineContaining, splitLine } from '../csv/split-line.js';
import type { ColumnMemory } from './column-memory.js';

/** Why the parser in assembly/parquet/rows.ts stopped. */
const STOP_REASON = { done: 0, full: 1, cell: 2, noRoom: 3 } as const;

type ParseCell = (bytes: Buffer, start: number, end: number) => ParsedCell;

const CELL_PARSERS = {
  time: parseTimeUs,
  integer: parseTimeUs,
  number: parseDecimal,
  boolean: parseBoolean,
} as const satisfies Record<Exclude<ColumnKind, 'text'>, ParseCell>;

/**
 * CSV text to the columns of a memory. Cells that are written as usual are parsed there; the others stop it, and are
 * taken here, which alone judges what is wrong.
 */
export class ColumnParser {
  /** The file's path, for messages. */
  source: string;
  /** The line of the file that the next row begins in. */
  line: number;
  readonly #memory: ColumnMemory;
  readonly #names: readonly string[];
  /** Room for one cell of a row that comes cell by cell. */
  #cell = 0;
  #cellRoom = 0;

  /** @param memory whose columns are open. */
  constructor(memory: ColumnMemory, source: string, line: number) {
    this.#memory = memory;
    this.source = source;
    this.line = line;
    this.#names = memory.schema.map(({ name }) => name);
  }

  /** Whether the next row belongs to another batch: the rows are all there, or their text passed 32 MiB. */
  get full(): boolean {
    return this.#memory.kernel.isFull() === 1;
  }

  /**
   * Takes whole rows of the memory's piece, from `from` up to `to`, until the batch is full; gives where it stopped.
   * @throws TickhaulError `createCorruptError`, naming line, column and cell; `usage` where the memory is full.
   */
  take(from: number, to: number): number {
    const { kernel, pieceStart } = this.#memory;
    const before = this.#memory.rows;
    const end = pieceStart + to;
    let stop = kernel.parseRows(pieceStart + from, end);
    while (stop === STOP_REASON.cell) stop = kernel.passCell(pieceStart + this.#takeOdd(before), end);
    this.line += this.#memory.rows - before;
    if (stop === STOP_REASON.noRoom) throw this.#memory.noRoom();
    return stop === STOP_REASON.full ? kernel.cellStart.value - pieceStart : to;
  }

  /** Takes a row cell by cell, its quotes undone. Throws as `appendIfRoom` does; the batch must not be full. */
  takeRow(cells: readonly Uint8Array[]): void {
    const { schema, kernel } = this.#memory;
    if (cells.length !== schema.length) throw this.#error(cells, 0, undefined);
    for (const [i, column] of schema.entries()) {
      const cell = Buffer.from(cells[i] as Uint8Array);
      const problem = this.#put(column, i, cell, this.#stage(cell));
      if (problem !== undefined) throw this.#error(cells, i, problem);
    }
    kernel.endRow();
    this.line += countRecordLines(cells);
  }

  /** Takes the cell that the parser stopped at, whatever is in it; gives where the next one begins in the piece. */
  #takeOdd(rowsBefore: number): number {
    const { kernel, schema, piece, pieceStart } = this.#memory;
    const i = kernel.cellColumn.value;
    const start = kernel.cellStart.value - pieceStart;
    const found = findCellEnd(piece, start, i === schema.length - 1);
    const cell = piece.subarray(start, found?.end);
    const problem = found && this.#put(schema[i] as Column, i, cell, pieceStart + start);
    if (found && problem === undefined) return found.next;
    this.line += this.#memory.rows - rowsBefore;
    throw this.#error(splitLine(lineContaining(this.#memory.piece, start)), i, problem);
  }

  /** Puts a cell, which stands at an address too, into the present row; gives what is wrong with it, if anything. */
  #put(column: Column, index: number, cell: Buffer, address: number): string | undefined {
    const { kernel } = this.#memory;
    const { length } = cell;
    let taken: number;
    if (length === 0) {
      if (isNeverEmpty(column)) return 'is empty, and this column never is';
      taken = kernel.takeNull(index);
    } else if (column.kind === 'text') {
      if (!isUtf8(cell)) return 'is not UTF-8 text';
      taken = kernel.takeText(index, address, length);
    } else {
      const value = CELL_PARSERS[column.kind](cell, 0, length);
      if (typeof value === 'string') return value;
      taken = kernel.takeValue(index, value, address, length);
    }
    if (taken === 0) throw this.#memory.noRoom();
    return undefined;
  }

  #stage(cell: Uint8Array): number {
    if (cell.length > this.#cellRoom) {
      this.#cellRoom = Math.max(cell.length, 2 * this.#cellRoom, 1024);
      this.#cell = this.#memory.allocate(this.#cellRoom);
    }
    this.#memory.bytes.set(cell, this.#cell);
    return this.#cell;
  }

  #error(cells: readonly Uint8Array[], column: number, problem: string | undefined): TickhaulError {
    return createRowError({ source: this.source, line: this.line }, this.#names, cells, column, problem);
  }
}
