import {
  type Compress,
  createFrameCompressor,
  LZ4_SCRATCH_BYTES,
  type Lz4Exports,
} from '../../format/compression/compressor.js';
import { ExportKernelMemory } from '../job-memory.js';

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
export class TradesMemory extends ExportKernelMemory<TradesExports> {
  /** Compresses bytes of this memory to LZ4 frames, each valid until the next call. */
  readonly compress: Compress;

  constructor() {
    super(new URL('./trades-kernel.wasm', import.meta.url), 'trades');
    const scratch = this.allocate(LZ4_SCRATCH_BYTES);
    this.compress = createFrameCompressor(this, scratch, (block) => block.byteOffset);
  }

  /** Rounds up, since the last batch of a file may have twice as many trades as the others. */
  override buffer(name: string, bytes: number): number {
    return super.buffer(name, 2 ** Math.ceil(Math.log2(bytes)));
  }
}
