/** The files of a plan, by index, that need no work. */
export interface SkipMemory {
  has(index: number): boolean;
  add(index: number): void;
}

/**
 * Remembers complete files between the two passes over a plan, so that they are looked up once. One bit per
 * file.
 */
export function createSkipMemory(): SkipMemory {
  let bits = new Uint8Array(1024);
  return {
    has: (index) => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0,
    add(index) {
      const byteIndex = index >> 3;
      if (byteIndex >= bits.length) {
        const grown = new Uint8Array(Math.max(byteIndex + 1, bits.length * 2));
        grown.set(bits);
        bits = grown;
      }
      bits[byteIndex] = (bits[byteIndex] ?? 0) | (1 << (index & 7));
    },
  };
}
