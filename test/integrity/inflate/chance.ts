/** Chance that is the same again for the same seed. */
export interface Chance {
  /** A whole number below `limit`. */
  below(limit: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  bytes(length: number): Buffer;
}

export function createChance(seed: number): Chance {
  let state = seed | 0;
  // Marsaglia's xorshift of 32 bits behind a counter, as in splitmix.
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; at++) bytes[at] = next();
      return bytes;
    },
  };
}
