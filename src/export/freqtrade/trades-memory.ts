import { TickhaulError } from '../../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory } from '../../base/wasm.js';
import type { Compress } from '../../format/compression/compress.js';
import { createFrameCompressor, LZ4_SCRATCH_BYTES, type Lz4Exports } from '../../format/compression/lz4.js';
import { ScratchRegion } from '../../format/kernel/scratch-region.js';

/** Exports of assembly/trades-kernel.ts, where they are documented. */
interface TradesExports extends Lz4Exports {
  allocate(bytes: bigint): number;
  packBooleans(bytes: number, out: number, count: number, flip: 0 | 1): void;
  convertToMilliseconds(times: number, count: number, out: number): void;
  multiply(a: number, b: number, count: number, out: number): void;
  shift(values: number, count: number, by: number): void;
  writeSides(sides: number, count: number, offsets: number, texts: number): number;
}

/** Memory of the kernel. */
export class TradesMemory {
  readonly kernel: TradesExports;
  /** Compresses bytes of this memory to LZ4 frames, each valid until the next call. */
  readonly compress: Compress;
  readonly #memory: OwnWasmMemory = createOwnMemory();
  #bytes = Buffer.alloc(0) as Buffer<ArrayBuffer>;
  readonly #buffers = new Map<string, ScratchRegion>();

  constructor() {
    const url = new URL('./trades-kernel.wasm', import.meta.url);
    this.kernel = instantiateSync<TradesExports>(url, this.#memory);
    const scratch = this.allocate(LZ4_SCRATCH_BYTES);
    this.compress = createFrameCompressor(this, scratch, (block) => block.byteOffset);
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer<ArrayBuffer> {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  allocate(bytes: number): number {
    const at = this.kernel.allocate(BigInt(bytes)) >>> 0;
    if (at === 0)
      throw new TickhaulError('usage', 'the trades of the export do not fit into 4 GiB of memory');
    return at;
  }

  /** Address of a buffer of at least `bytes` bytes, the same for each call. */
  buffer(name: string, bytes: number): number {
    const region = this.#buffers.get(name) ?? new ScratchRegion(this);
    this.#buffers.set(name, region);
    return region.at(bytes);
  }

  /** Copies values into a buffer; returns its address. */
  load(name: string, values: ArrayBufferView): number {
    const at = this.buffer(name, values.byteLength);
    this.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }
}
