import type { ByteSink } from '../../src/format/output-format.js';

/** Collects all bytes in memory. */
export function createMemorySink(): ByteSink & { readonly bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(bytes.slice());
    },
    bytes: () => Buffer.concat(parts),
  };
}
