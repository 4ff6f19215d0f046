import type { Random } from './seeded-random.js';

/** Form of a trade id: a counter, a UUID, an integer above 2^53, or none. */
export type IdStyle = 'counter' | 'uuid' | 'huge' | 'none';

/** Returns a function that creates the next trade id. */
export function createTradeIds(style: IdStyle, random: Random): () => string {
  if (style === 'none') return () => '';
  if (style === 'uuid') return () => uuid(random);
  let count = 10_000_000 + random.int(900_000_000);
  const prefix = style === 'huge' ? `1001${100_000_000 + random.int(800_000_000)}` : '';
  return () => {
    count += 1;
    return prefix + count;
  };
}

function uuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`;
}
