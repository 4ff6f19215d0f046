import { TickhaulError } from '../../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory, type WasmVariable } from '../../base/wasm.js';
import type { TextValues } from '../../format/batch.js';
import type { TextLocation } from '../../format/kernel/column-memory.js';
import type { ParquetExports, TextEncodeExports } from '../../format/kernel/parquet-exports.js';
import type { EncodeMemory } from '../../format/parquet/encode/encode-memory.js';
import { Scratch } from '../../format/parquet/encode/scratch.js';

/** Exports of assembly/nautilus-kernel.ts. Addresses arrive as signed integers; `>>> 0` makes them unsigned. */
export interface NautilusExports
  extends TextEncodeExports,
    Pick<ParquetExports, 'findDistinctDoubles' | 'writeDeltaLongs'> {
  initialize(): void;
  allocate(bytes: bigint): number;

  convertToFixed(
    values: number,
    bytes: number,
    offsets: number,
    first: number,
    count: number,
    places: number,
    width: number,
    scale: number,
    maxUnits: number,
    isSigned: number,
    out: number,
  ): number;
  readonly stoppedAt: WasmVariable;
  readonly roundedCount: WasmVariable;

  convertToNanoseconds(values: number, count: number, out: number): void;
  findStepBack(values: number, count: number): number;
  gather(values: number, width: number, rows: number, count: number, out: number): void;
  findNonZero(values: number, width: number, count: number, rows: number): number;
  findLongRange(values: number, count: number): void;
  readonly minLong: { readonly value: bigint };
  readonly maxLong: { readonly value: bigint };

  writeDeltas(
    lanes: number,
    count: number,
    width: number,
    afterSnapshot: number,
    previous: bigint,
    hasNext: number,
    next: bigint,
  ): number;

  fillIdSlots(bytes: number, offsets: number, indices: number, count: number, slots: number): number;
  deriveIds(
    slots: number,
    count: number,
    seeds: number,
    symbols: number,
    times: number,
    prices: number,
    amounts: number,
    sideBytes: number,
    sideOffsets: number,
    sideIndices: number,
  ): void;
  readIdSlots(slots: number, count: number, bytes: number, offsets: number): void;

  maxSnappyBytes(length: number): number;
  compressSnappy(from: number, length: number, out: number): number;

  findDistinctWide: ParquetExports['findDistinctDoubles'];
  findDistinctBytes(values: number, count: number, width: number, distinct: number, indices: number): number;
}

/** Memory of the kernel, with buffers that are used again and again. */
export class KernelMemory implements EncodeMemory {
  readonly kernel: NautilusExports;
  readonly scratch: Scratch;
  readonly #memory: OwnWasmMemory = createOwnMemory();
  #bytes = Buffer.alloc(0) as Buffer<ArrayBuffer>;
  readonly #buffers = new Map<string, { at: number; room: number }>();

  constructor() {
    this.kernel = instantiateSync<NautilusExports>(
      new URL('./nautilus-kernel.wasm', import.meta.url),
      this.#memory,
    );
    this.kernel.initialize();
    this.scratch = new Scratch(this);
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer<ArrayBuffer> {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  allocate(bytes: number): number {
    const at = this.kernel.allocate(BigInt(bytes)) >>> 0;
    if (at === 0) throw new TickhaulError('usage', 'the rows of the export do not fit into 4 GiB of memory');
    return at;
  }

  readInt(address: number): number {
    return this.bytes.readInt32LE(address);
  }

  /** Address of a buffer of at least `bytes` bytes. Its content is lost when it is requested with more bytes. */
  buffer(name: string, bytes: number): number {
    const known = this.#buffers.get(name);
    if (known && known.room >= bytes) return known.at;
    const room = Math.max(bytes, 2 * (known?.room ?? 512));
    const at = this.allocate(room);
    this.#buffers.set(name, { at, room });
    return at;
  }

  /** Copies values into a buffer; returns its address. */
  load(name: string, values: ArrayBufferView): number {
    const at = this.buffer(name, values.byteLength);
    this.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }

  /** Compresses bytes of this memory with Snappy. The result is valid until the next call. */
  compress(bytes: Uint8Array): Uint8Array {
    const { byteOffset, length } = bytes;
    if (bytes.buffer !== this.#memory.buffer)
      throw new Error('the bytes are not in the memory of the kernel');
    const out = this.buffer('compressed', this.kernel.maxSnappyBytes(length));
    return this.bytes.subarray(out, out + this.kernel.compressSnappy(byteOffset, length, out));
  }

  /** Copies texts into buffers. */
  loadTexts(name: string, { bytes, offsets }: TextValues): TextLocation {
    const count = offsets.length - 1;
    const start = offsets[0] ?? 0;
    const texts = this.load(`${name} bytes`, bytes.subarray(start, offsets[count]));
    // Offsets count from the start of the bytes that were copied.
    return { bytes: texts - start, offsets: this.load(`${name} offsets`, offsets), count };
  }
}
