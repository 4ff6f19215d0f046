import type { ArrowSchema } from '../../format/arrow/arrow-schema.js';
import { type ArrowWriter, createArrowWriter } from '../../format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  type EncodedRecordBatch,
  RecordBatchBuilder,
} from '../../format/arrow/record-batch.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { loadLz4 } from '../../format/compression/lz4.js';
import type { ExportIo, ExportOutput } from '../export-io.js';

/** Number of LZ4 frames in CompressionType (Message.fbs). */
const LZ4_FRAME = 0;

/** A Feather file (Arrow IPC) with LZ4 frames, as pandas writes it. It is created with its first rows. */
export class FeatherFile {
  readonly #io: ExportIo;
  readonly #path: string;
  readonly #schema: ArrowSchema;
  #open: { readonly output: ExportOutput; readonly writer: ArrowWriter } | undefined;

  /** @param path relative to the output folder. */
  constructor(io: ExportIo, path: string, schema: ArrowSchema) {
    this.#io = io;
    this.#path = path;
    this.#schema = schema;
  }

  /** Appends a batch of at least one row. */
  async write(batch: EncodedRecordBatch): Promise<void> {
    this.#open ??= await this.#create();
    await this.#open.writer.writeBatch(batch);
  }

  async end(): Promise<void> {
    if (!this.#open) return;
    const { rows } = await this.#open.writer.finish();
    this.#open.output.end(rows);
  }

  async #create() {
    const output = await this.#io.create(this.#path);
    return { output, writer: createArrowWriter(output, this.#schema, 'file') };
  }
}

/** Encodes a batch of at least one row. @param arrays one for each field. */
export function encodeRecordBatch(rows: number, arrays: readonly ArrowArray[]): EncodedRecordBatch {
  const bytes = arrays.flatMap(({ buffers }) => buffers).reduce((sum, { length }) => sum + length, 0);
  // Compressed buffers fit without a copy to a larger one.
  const builder = new RecordBatchBuilder(new ByteWriter(bytes + 1024), {
    codec: LZ4_FRAME,
    compress: loadLz4(),
  });
  for (const array of arrays) builder.add(array);
  return builder.finish(rows);
}

const NO_BYTES = new Uint8Array();

/** An array without nulls. @param buffers those of the type, without the validity. */
export function createFullArray(length: number, ...buffers: readonly ArrayBufferView[]): ArrowArray {
  const bytes = buffers.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return { length, nullCount: 0, buffers: [NO_BYTES, ...bytes] };
}

/** Integers of 64 bits. BigInts would take several times as long. */
export function createLongs(length: number, valueAt: (row: number) => number): Int32Array {
  const halves = new Int32Array(2 * length);
  for (let row = 0; row < length; row++) {
    const value = valueAt(row);
    const high = Math.floor(value / 2 ** 32);
    halves[2 * row] = value - high * 2 ** 32;
    halves[2 * row + 1] = high;
  }
  return halves;
}
