import type { OutputFormat } from '../output-format.js';
import type { BatchLimits } from './batch-limits.js';
import { ColumnMemory } from './column-memory.js';
import { ColumnParser } from './column-parser.js';
import { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

const LF = 10;

/** Encodes the batch of a memory, synchronously. */
export interface ColumnBatchEncoder {
  /** Encodes and removes the batch. The bytes are valid until the call after the next one. */
  encode(): EncodedBatch;
  /** Like `encode`, with bytes that stay valid. */
  encodeCopy(): EncodedBatch;
}

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
  memory.open(schema, limits.rows(options, schema.length), options.numbers === 'string');
  return new ColumnKernel(memory, new ColumnParser(memory, source, 2), createEncoder(memory));
}

/** Creates a kernel from the encoder of a format, which gets the columns as views. */
export async function createEncoderKernel(
  job: KernelJob,
  { batches, createEncoder }: Pick<OutputFormat, 'batches' | 'createEncoder'>,
): Promise<BatchKernel> {
  const encode = await createEncoder(job.schema, job.options);
  return createColumnKernel(job, batches, (memory) => {
    const encodeCopy = (): EncodedBatch => {
      const encoded = encode(memory.view());
      // Copy: a kernel's bytes stay valid for longer than those of an encoder.
      const copy = { ...encoded, bytes: encoded.bytes.slice() };
      memory.clear();
      return copy;
    };
    return { encode: encodeCopy, encodeCopy };
  });
}

class ColumnKernel implements BatchKernel {
  readonly #memory: ColumnMemory;
  readonly #parser: ColumnParser;
  readonly #encoder: ColumnBatchEncoder;

  constructor(memory: ColumnMemory, parser: ColumnParser, encoder: ColumnBatchEncoder) {
    this.#memory = memory;
    this.#parser = parser;
    this.#encoder = encoder;
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

  getPieceBuffer(): Uint8Array {
    return this.#memory.piece.subarray(0, PIECE_CAPACITY_BYTES);
  }

  parse(length: number): readonly EncodedBatch[] {
    const { piece } = this.#memory;
    let end = length;
    if (end > 0 && piece[end - 1] !== LF) piece[end++] = LF;
    const ended: EncodedBatch[] = [];
    for (let position = 0; position < end; ) {
      ended.push(...this.#endFull());
      position = this.#parser.parse(position, end);
    }
    return ended;
  }

  appendRow(cells: readonly Uint8Array[]): readonly EncodedBatch[] {
    const ended = this.#endFull();
    this.#parser.appendRow(cells);
    return ended;
  }

  finish(): EncodedBatch | undefined {
    return this.#memory.rows > 0 ? this.#encoder.encode() : undefined;
  }

  /** Ends the batch if it is full. The result is a copy, since several batches may end in one call. */
  #endFull(): readonly EncodedBatch[] {
    return this.#parser.isFull ? [this.#encoder.encodeCopy()] : [];
  }
}
