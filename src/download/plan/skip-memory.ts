/** Which files of a plan, by their place in it, need nothing. */
export interface SkipMemory {
  has(place: number): boolean;
  add(place: number): void;
}

/** A plan is walked over twice, once to count it: what stands on disk whole needn't be looked up again. A bit a file. */
export function createSkipMemory(): SkipMemory {
  let bits = new Uint8Array(1024);
  return {
    has: (place) => ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0,
    add(place) {
      const at = place >> 3;
      if (at >= bits.length) {
        const longer = new Uint8Array(Math.max(at + 1, bits.length * 2));
        longer.set(bits);
        bits = longer;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (place & 7));
    },
  };
}
