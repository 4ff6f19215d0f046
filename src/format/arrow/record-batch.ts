import type { ByteWriter } from '../byte-writer.js';
import type { Compress } from '../compression/compress.js';
import type { EncodedBatch } from '../kernel/kernel-job.js';
import { alignLength, encodeMessage, MessageHeader, writeStructs } from './arrow-message.js';

/**
 * Values of a field in the memory layout of its type
 * (https://arrow.apache.org/docs/format/Columnar.html#physical-memory-layout).
 */
export interface ArrowArray {
  readonly length: number;
  readonly nullCount: number;
  /**
   * First the validity, a bit per value, lowest first, empty without nulls; then the buffers of the type. Type null
   * has no buffers.
   */
  readonly buffers: readonly Uint8Array[];
  /** Arrays of the type's child fields: the items of lists, or the fields of structs. */
  readonly children?: readonly ArrowArray[] | undefined;
}

/** Compression of each buffer, by its number in CompressionType (Message.fbs). */
export interface BufferCompression {
  readonly codec: number;
  readonly compress: Compress;
}

/** A record batch: its message, and its body in `bytes`. */
export interface EncodedRecordBatch extends EncodedBatch {
  readonly message: Uint8Array;
}

/** In place of the uncompressed length of a buffer that compression would not reduce. */
const UNCOMPRESSED = -1n;

/** Appends arrays to the body of a record batch, one at a time. */
export class RecordBatchBuilder {
  readonly #out: ByteWriter;
  readonly #compression: BufferCompression | undefined;
  readonly #nodes: { readonly length: number; readonly nullCount: number }[] = [];
  readonly #buffers: { readonly offset: number; readonly length: number }[] = [];

  /** @param out receives the body; its previous content is removed. */
  constructor(out: ByteWriter, compression: BufferCompression | undefined) {
    this.#out = out;
    this.#compression = compression;
    out.length = 0;
  }

  /** Appends the array of the next field. */
  add({ length, nullCount, buffers, children = [] }: ArrowArray): void {
    this.#nodes.push({ length, nullCount });
    for (const buffer of buffers) this.#addBuffer(buffer);
    for (const child of children) this.add(child);
  }

  /** Ends the batch. The body is valid until `out` is written to again. */
  finish(rows: number): EncodedRecordBatch {
    const bytes = this.#out.written();
    const message = encodeMessage(MessageHeader.recordBatch, bytes.length, (builder) => {
      const buffers = writeStructs(builder, 16, this.#buffers, ({ offset, length }) => {
        builder.writeInt64(BigInt(length));
        builder.writeInt64(BigInt(offset));
      });
      const nodes = writeStructs(builder, 16, this.#nodes, ({ length, nullCount }) => {
        builder.writeInt64(BigInt(nullCount));
        builder.writeInt64(BigInt(length));
      });
      let compression = 0;
      if (this.#compression) {
        builder.startObject(2);
        builder.addFieldInt8(0, this.#compression.codec, 0);
        compression = builder.endObject();
      }
      builder.startObject(5);
      builder.addFieldInt64(0, BigInt(rows), 0n);
      builder.addFieldOffset(1, nodes, 0);
      builder.addFieldOffset(2, buffers, 0);
      builder.addFieldOffset(3, compression, 0);
      return builder.endObject();
    });
    return { rows, message, bytes };
  }

  #addBuffer(buffer: Uint8Array): void {
    const out = this.#out;
    const offset = out.length;
    if (buffer.length > 0) this.#appendValues(buffer);
    this.#buffers.push({ offset, length: out.length - offset });
    const end = alignLength(out.length);
    out.reserve(end - out.length).fill(0, out.length, end);
    out.length = end;
  }

  #appendValues(buffer: Uint8Array): void {
    const out = this.#out;
    if (!this.#compression) {
      out.append(buffer);
      return;
    }
    const compressed = this.#compression.compress(buffer, 'fast');
    const isSmaller = compressed.length < buffer.length;
    out.reserve(8);
    out.view.setBigInt64(out.length, isSmaller ? BigInt(buffer.length) : UNCOMPRESSED, true);
    out.length += 8;
    out.append(isSmaller ? compressed : buffer);
  }
}
