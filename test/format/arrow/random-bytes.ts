import type { RandomBytes } from '../../../src/format/file-access.js';

/** Random access to bytes in memory. */
export function toRandomBytes(bytes: Uint8Array): RandomBytes {
  return {
    bytes: bytes.length,
    read: async (position, length) => Buffer.from(bytes.subarray(position, position + length)),
  };
}
