import { createHash } from 'node:crypto';

/** A stream of random numbers that is the same for the same seed on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, below). */
  int(below: number): number;
  chance(share: number): boolean;
}

/**
 * Creates a random stream seeded by any number of parts. So each file, attempt or symbol has its own stream, independent
 * of the order of requests. The generator is xorshift128 (G. Marsaglia, "Xorshift RNGs", 2003, section 4).
 */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  const seed = createHash('sha256').update(JSON.stringify(parts)).digest();
  let x = seed.readInt32LE(0);
  let y = seed.readInt32LE(4);
  let z = seed.readInt32LE(8);
  let w = seed.readInt32LE(12) | 1;
  const next = (): number => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return (w >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    int: (below) => Math.floor(next() * below),
    chance: (share) => next() < share,
  };
}
