import type { ArrowSchema } from '../../format/arrow/arrow-message.js';
import { type ArrowWriter, createArrowWriter } from '../../format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  type EncodedRecordBatch,
  RecordBatchBuilder,
} from '../../format/arrow/record-batch-encoder.js';
import type { ByteWriter } from '../../format/byte-writer.js';
import type { Compress } from '../../format/compressor.js';
import type { ExportIo, ExportOutput, OutputOwner } from '../export-target.js';

/** Number of LZ4 frames in CompressionType (Message.fbs). */
const LZ4_FRAME = 0;

/** A Feather file (Arrow IPC) with LZ4 frames, as pandas writes it. It is created with its first rows. */
export class FeatherFile {
  readonly #io: ExportIo;
  readonly #path: string;
  readonly #owner: OutputOwner;
  readonly #schema: ArrowSchema;
  #open: { readonly output: ExportOutput; readonly writer: ArrowWriter } | undefined;

  /** @param path relative to the output folder. */
  constructor(io: ExportIo, path: string, owner: OutputOwner, schema: ArrowSchema) {
    this.#io = io;
    this.#path = path;
    this.#owner = owner;
    this.#schema = schema;
  }

  /** Appends a batch of at least one row. */
  async write(batch: EncodedRecordBatch): Promise<void> {
    this.#open ??= await this.#create();
    await this.#open.writer.writeBatch(batch);
  }

  /** As `ExportOutput.end`. @param sourceRows by default, one for each row. */
  async end(sourceRows?: number, isDerived = false): Promise<void> {
    if (!this.#open) return;
    const { rows } = await this.#open.writer.finish();
    this.#open.output.end(rows, sourceRows ?? rows, { isDerived });
  }

  async #create() {
    const output = await this.#io.create(this.#path, this.#owner);
    return { output, writer: createArrowWriter(output, this.#schema, 'file') };
  }
}

/**
 * Encodes a batch of at least one row.
 * @param arrays one for each field.
 * @param compress compresses to LZ4 frames.
 * @param out receives the bytes, which are valid until it is written to again.
 */
export function encodeRecordBatch(
  rows: number,
  arrays: readonly ArrowArray[],
  compress: Compress,
  out: ByteWriter,
): EncodedRecordBatch {
  const builder = new RecordBatchBuilder(out, { codec: LZ4_FRAME, compress });
  for (const array of arrays) builder.add(array);
  return builder.finish(rows);
}

const NO_BYTES = new Uint8Array();

/** An array without nulls. @param buffers those of the type, without the validity. */
export function createFullArray(length: number, ...buffers: readonly ArrayBufferView[]): ArrowArray {
  const bytes = buffers.map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return { length, nullCount: 0, buffers: [NO_BYTES, ...bytes] };
}
