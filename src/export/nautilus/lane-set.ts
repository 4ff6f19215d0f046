import type { KernelMemory } from './kernel-memory.js';

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
