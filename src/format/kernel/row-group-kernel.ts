import { loadCompressor } from '../compression/compressor.js';
import { chooseBatchRows } from '../output-options.js';
import { ColumnMemory } from './column-memory.js';
import { ColumnParser } from './column-parser.js';
import { RowGroupEncoder } from './encode/row-group-encoder.js';
import { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

const LF = 10;

/** Converts CSV text to Parquet row groups. */
export async function createRowGroupKernel({ source, schema, options }: KernelJob): Promise<BatchKernel> {
  const { compression, numbers } = options;
  const compress = await loadCompressor(compression);
  const times = options.times === 'int' ? 'int' : 'timestamp';
  const memory = new ColumnMemory();
  memory.open(schema, chooseBatchRows(options, schema.length), numbers === 'string');
  const parser = new ColumnParser(memory, source, 2);
  return new RowGroupKernel(
    memory,
    parser,
    new RowGroupEncoder(memory, { schema, compression, numbers, times }, compress),
  );
}

class RowGroupKernel implements BatchKernel {
  readonly #memory: ColumnMemory;
  readonly #parser: ColumnParser;
  readonly #encoder: RowGroupEncoder;

  constructor(memory: ColumnMemory, parser: ColumnParser, encoder: RowGroupEncoder) {
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
