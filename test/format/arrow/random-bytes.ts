import type { RandomBytes } from '../../../src/format/output-format.js';

/** Random access to bytes in memory. */
export function toRandomBytes(bytes: Uint8Array): RandomBytes {
  return {
    bytes: bytes.length,
    read: async (position, length) => Buffer.from(bytes.subarray(position, position + length)),
  };
}
