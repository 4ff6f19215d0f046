import type { TickhaulError } from '../../base/errors.js';
import type { Column } from '../../dataset/data-types.js';
import type { Compress } from '../compression/compress.js';
import { loadCompressor } from '../compression/compressor.js';
import { createRowError } from '../csv/csv-errors.js';
import { countRecordLines } from '../csv/quoted-records.js';
import { findCellEnd, lineContaining, splitLine } from '../csv/split-line.js';
import {
  type BatchKernel,
  type EncodedBatch,
  type KernelJob,
  PIECE_CAPACITY_BYTES,
} from '../kernel/kernel-job.js';
import { type CellOptions, formatJsonCell } from './json-cell.js';
import { LineMemory } from './line-memory.js';
import { loadNdjsonModule, NDJSON_STOP_REASON, type NdjsonModule } from './ndjson-module.js';

const LF = 10;
const LINE_END = Buffer.from('}\n');
const NO_BYTES = Buffer.alloc(0);

/** Converts CSV text to NDJSON text without intermediate columns. @param cells those of `job.options`. */
export async function createNdjsonKernel(job: KernelJob, cells: CellOptions): Promise<BatchKernel> {
  const { compression } = job.options;
  const compress = compression === 'none' ? undefined : await loadCompressor(compression);
  const memory = new LineMemory(job.schema, cells);
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
