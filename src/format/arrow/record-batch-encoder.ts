import type { ByteWriter } from '../byte-writer.js';
import { type ColumnBatchEncoder, createColumnKernel } from '../columns/column-kernel.js';
import { type ColumnMemory, ScratchRegion, type TextLocation } from '../columns/column-memory.js';
import { type Compress, type Compression, loadCompressor } from '../compressor.js';
import type { BatchKernel, EncodedBatch, KernelJob, OutputOptions } from '../output-format.js';
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
interface BufferCompression {
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

/** A value of an array; undefined becomes null. */
type Value<T> = T | null | undefined;

const NO_BYTES = new Uint8Array();

/** Creates an array of type double. */
export function createDoubleArray(values: readonly Value<number>[]): ArrowArray {
  return toArray(values, [toBytes(Float64Array.from(values, (value) => value ?? 0))]);
}

/** Creates an array of 64-bit integers, signed, or of times in the unit of their type. */
export function createLongArray(values: readonly Value<number | bigint>[]): ArrowArray {
  return toArray(values, [toBytes(BigInt64Array.from(values, (value) => BigInt(value ?? 0)))]);
}

/** Creates an array of type bool. */
export function createBooleanArray(values: readonly Value<boolean>[]): ArrowArray {
  return toArray(values, [packBits(values, (value) => value === true)]);
}

/** Creates an array of type utf8. Its texts may have up to 2 GiB. */
export function createTextArray(values: readonly Value<string>[]): ArrowArray {
  const texts = values.map((value) => value ?? '');
  // One conversion takes a fraction of the time of many.
  const bytes = Buffer.from(texts.join(''));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const isAscii = bytes.length === length;
  const parts = isAscii ? texts : texts.map((text) => ({ length: Buffer.byteLength(text) }));
  return toArray(values, [toBytes(toOffsets(parts)), bytes]);
}

/** Creates an array of lists. @param createItems creates the array of all items, one list after the other. */
export function createListArray<T>(
  lists: readonly Value<readonly T[]>[],
  createItems: (items: readonly T[]) => ArrowArray,
): ArrowArray {
  const offsets = toOffsets(lists.map((list) => list ?? []));
  return {
    ...toArray(lists, [toBytes(offsets)]),
    children: [createItems(lists.flatMap((list) => list ?? []))],
  };
}

/** Creates an array of structs, none of which is null, from the arrays of their fields. */
export function createStructArray(length: number, children: readonly ArrowArray[]): ArrowArray {
  return { length, nullCount: 0, buffers: [NO_BYTES], children };
}

function toArray(values: readonly unknown[], buffers: readonly Uint8Array[]): ArrowArray {
  const nullCount = values.reduce<number>((count, value) => count + (value == null ? 1 : 0), 0);
  const validity = nullCount > 0 ? packBits(values, (value) => value != null) : NO_BYTES;
  return { length: values.length, nullCount, buffers: [validity, ...buffers] };
}

function packBits<T>(values: readonly T[], isSet: (value: T) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) {
    if (isSet(value)) bits[i >>> 3] = (bits[i >>> 3] as number) | (1 << (i & 7));
  }
  return bits;
}

function toOffsets(parts: readonly { readonly length: number }[]): Int32Array<ArrayBuffer> {
  const offsets = new Int32Array(parts.length + 1);
  for (const [i, { length }] of parts.entries()) offsets[i + 1] = (offsets[i] as number) + length;
  return offsets;
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Numbers of CompressionType (Message.fbs). */
const CODECS: Readonly<Partial<Record<Compression, number>>> = { lz4: 0, zstd: 1 };

/** Loads the compression of buffers; undefined for none. */
async function loadBufferCompression(compression: Compression): Promise<BufferCompression | undefined> {
  const codec = CODECS[compression];
  return codec === undefined ? undefined : { codec, compress: await loadCompressor(compression) };
}

/** Converts CSV text to record batches. */
export async function createRecordBatchKernel(job: KernelJob): Promise<BatchKernel> {
  const compression = await loadBufferCompression(job.options.compression);
  return createColumnKernel(job, (memory) =>
    createRecordBatchEncoder(memory, job.options.numbers, compression),
  );
}

/** Most cells are smaller. */
const USUAL_CELL_BYTES = 24;

/** Addresses and sizes of the buffers of a column. */
type Regions = readonly (readonly [at: number, bytes: number])[];

function createRecordBatchEncoder(
  memory: ColumnMemory,
  numbers: OutputOptions['numbers'],
  compression: BufferCompression | undefined,
): ColumnBatchEncoder<EncodedRecordBatch> {
  const { kernel } = memory;
  const validity = new ScratchRegion(memory);
  const values = new ScratchRegion(memory);
  const offsets = new ScratchRegion(memory);

  const packBooleans = (region: ScratchRegion, bytes: number, flip: 0 | 1): Regions[number] => {
    // The kernel writes 16 bits at a time.
    const at = region.at(Math.ceil(memory.rows / 16) * 2);
    kernel.packBooleans(bytes, at, memory.rows, flip);
    return [at, Math.ceil(memory.rows / 8)];
  };

  const listTexts = ({ bytes, offsets, count }: TextLocation): Regions => [
    [offsets, 4 * (count + 1)],
    [bytes, memory.readInt(offsets + 4 * count)],
  ];

  /** Copies the text of each row, which the column has as positions in a dictionary. */
  const expandTexts = (column: number, dictionary: TextLocation): Regions => {
    const { rows } = memory;
    const nulls = kernel.getNullCount(column) > 0 ? kernel.getNulls(column) : 0;
    const indices = kernel.getLane(column);
    const toOffsets = offsets.at(4 * (rows + 1));
    const size = kernel.storeOffsets(dictionary.offsets, indices, nulls, rows, toOffsets);
    if (size < 0) throw memory.createFullError();
    const to = values.at(size);
    kernel.gatherTexts(dictionary.bytes, dictionary.offsets, indices, rows, to, toOffsets);
    return listTexts({ bytes: to, offsets: toOffsets, count: rows });
  };

  const encodeValues = (column: number): Regions => {
    const { rows, schema } = memory;
    const kind = schema[column]?.kind;
    const lane = kernel.getLane(column) >>> 0;
    if (kind === 'boolean') return [packBooleans(values, lane, 0)];
    if (kind === 'time' || kind === 'integer') kernel.convertToLongs(lane, rows);
    else if (kind === 'text' || numbers === 'string') {
      const texts = memory.getTexts(column);
      if (kind === 'text' && !kernel.isPlain(column)) return expandTexts(column, texts);
      if (texts.count !== rows) throw new Error('the text of numbers is missing');
      return listTexts(texts);
    }
    return [[lane, 8 * rows]];
  };

  return (out) => {
    const { rows } = memory;
    const builder = new RecordBatchBuilder(out, compression);
    // Growing step by step would copy the first batch several times; untouched pages take no memory.
    out.reserve(rows * memory.schema.length * USUAL_CELL_BYTES);
    for (const column of memory.schema.keys()) {
      const nullCount = kernel.getNullCount(column);
      const nulls: Regions[number] =
        nullCount > 0 ? packBooleans(validity, kernel.getNulls(column) >>> 0, 1) : [0, 0];
      const regions = [nulls, ...encodeValues(column)];
      const buffers = regions.map(([at, bytes]) => memory.bytes.subarray(at, at + bytes));
      builder.add({ length: rows, nullCount, buffers });
    }
    memory.clear();
    return builder.finish(rows);
  };
}
