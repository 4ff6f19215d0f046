import { ByteWriter } from '../byte-writer.js';
import type { BatchLimits } from './batch-limits.js';
import { ColumnMemory } from './column-memory.js';
import { ColumnParser } from './column-parser.js';
import { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

const LF = 10;

/**
 * Initial size of an output buffer, which usual batches do not exceed: a growing buffer touches twice as much memory.
 * Untouched pages take none.
 */
const OUTPUT_BYTES = 16 * 1024 * 1024;

/** Encodes and removes the batch of a memory, synchronously. Its bytes replace the content of `out`. */
export type ColumnBatchEncoder<Encoded extends EncodedBatch = EncodedBatch> = (out: ByteWriter) => Encoded;

/**
 * Converts CSV text to columns, which are encoded batch by batch.
 * @param createEncoder creates the encoder for the batches of a memory.
 */
export function createColumnKernel(
  { source, schema, options }: KernelJob,
  limits: BatchLimits,
  createEncoder: (memory: ColumnMemory) => ColumnBatchEncoder,
): BatchKernel {
  const memory = new ColumnMemory();
  memory.open(schema, limits.rows(options, schema.length), options.numbers === 'string' ? 'all' : 'none');
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
  readonly #writers = [createSharedWriter(), createSharedWriter()] as const;
  #batchCount = 0;

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
    if (this.#parser.parse(0, end) < end) throw new Error(`${this.source}: a batch has too many rows`);
  }

  appendRow(cells: readonly Uint8Array[]): void {
    this.#parser.appendRow(cells);
  }

  finish(): EncodedBatch | undefined {
    if (this.#memory.rows === 0) return undefined;
    return this.#encode(this.#writers[this.#batchCount++ % 2] as ByteWriter);
  }
}

function createSharedWriter(): ByteWriter {
  return new ByteWriter(OUTPUT_BYTES, (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
}
