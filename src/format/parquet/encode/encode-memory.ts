import type { TextEncodeExports } from '../../kernel/parquet-exports.js';

/** Memory of a kernel that encodes values. */
export interface EncodeMemory {
  readonly kernel: TextEncodeExports;
  /** The whole memory; becomes invalid when the memory grows. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Allocates a region. The slack after it may be read and written, too. */
  allocate(bytes: number): number;
  /** Reads the 32-bit integer at an address. */
  readInt(address: number): number;
}
