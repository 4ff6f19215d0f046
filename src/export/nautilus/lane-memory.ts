import type { WasmVariable } from '../../base/wasm.js';
import type { TextValues } from '../../format/batch.js';
import type { ColumnExports, TextEncodeExports, TextLocation } from '../../format/columns/column-memory.js';
import type { SnappyExports } from '../../format/compressor.js';
import { type EncodeMemory, Scratch } from '../../format/parquet/encode-texts.js';
import { ExportKernelMemory } from '../job-memory.js';

/** Exports of assembly/nautilus-kernel.ts. Addresses arrive as signed integers; `>>> 0` makes them unsigned. */
interface NautilusExports
  extends TextEncodeExports,
    SnappyExports,
    Pick<ColumnExports, 'findDistinctDoubles' | 'writeDeltaLongs'> {
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

  convertToNanoseconds(values: number, count: number, out: number): number;
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

  findDistinctWide: ColumnExports['findDistinctDoubles'];
  findDistinctBytes(values: number, count: number, width: number, distinct: number, indices: number): number;
}

/** Memory of the kernel. */
export class KernelMemory extends ExportKernelMemory<NautilusExports> implements EncodeMemory {
  readonly scratch: Scratch;

  constructor() {
    super(new URL('./nautilus-kernel.wasm', import.meta.url), 'rows');
    this.kernel.initialize();
    this.scratch = new Scratch(this);
  }

  readInt(address: number): number {
    return this.bytes.readInt32LE(address);
  }

  /** Compresses bytes of this memory with Snappy. The result is valid until the next call. */
  compress(bytes: Uint8Array): Uint8Array {
    const { byteOffset, length } = bytes;
    if (bytes.buffer !== this.bytes.buffer) throw new Error('the bytes are not in the memory of the kernel');
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

/** Rows by column in memory outside the kernel: one array of bytes for each lane. */
export interface LaneChunk {
  readonly rows: number;
  readonly lanes: readonly Uint8Array[];
}

/** Rows by column in the memory of the kernel. Each lane has the same number of bytes for each value. */
export class LaneSet {
  readonly widths: readonly number[];
  rows = 0;
  readonly #memory: KernelMemory;
  readonly #addresses: number[];
  #capacity = 0;

  /** @param widths bytes of a value, for each lane. */
  constructor(memory: KernelMemory, widths: readonly number[]) {
    this.#memory = memory;
    this.widths = widths;
    this.#addresses = widths.map(() => 0);
  }

  /** Starts again without rows, with room for `rows`. New memory is filled with zeros. */
  open(rows: number): void {
    this.rows = 0;
    if (rows <= this.#capacity) return;
    this.#capacity = Math.max(rows, 2 * this.#capacity, 1024);
    for (const [i, width] of this.widths.entries()) {
      this.#addresses[i] = this.#memory.allocate(this.#capacity * width);
    }
  }

  /** Address of a lane. */
  at(lane: number): number {
    return this.#addresses[lane] as number;
  }

  /** The bytes of some rows of a lane, valid until the memory grows. */
  view(lane: number, start = 0, end = this.rows): Buffer<ArrayBuffer> {
    const width = this.widths[lane] as number;
    const at = this.at(lane);
    return this.#memory.bytes.subarray(at + start * width, at + end * width);
  }

  /** Reads a 64-bit integer. */
  readLong(lane: number, row: number): bigint {
    return this.#memory.bytes.readBigUInt64LE(this.at(lane) + 8 * row);
  }

  /** Replaces the rows by some of another set: those at the 32-bit positions at an address. */
  gather(from: LaneSet, positions: number, count: number): void {
    this.open(count);
    for (const [i, width] of this.widths.entries()) {
      this.#memory.kernel.gather(from.at(i), width, positions, count, this.at(i));
    }
    this.rows = count;
  }

  /** Copies some rows. */
  copy(start = 0, end = this.rows): LaneChunk {
    const lanes = this.widths.map((_, i) => new Uint8Array(this.view(i, start, end)));
    return { rows: end - start, lanes };
  }

  /** Appends rows; there must be room. */
  append({ rows, lanes }: LaneChunk): void {
    const start = this.rows;
    this.rows += rows;
    for (const [i, bytes] of lanes.entries()) this.view(i, start).set(bytes);
  }

  /** Replaces the rows. */
  load(chunks: readonly LaneChunk[]): void {
    this.open(chunks.reduce((sum, { rows }) => sum + rows, 0));
    for (const chunk of chunks) this.append(chunk);
  }
}
