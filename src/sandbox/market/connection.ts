import type { Day } from '../../dataset/day.js';
import { seededRandom } from './random.js';
import type { MarketSize } from './size.js';

const US_A_DAY = 86_400_000_000;
/** Days of fewer rows have no room for a second snapshot of the book. */
const LEAST_ROWS = 500;

/**
 * When the collector loses its connection to an exchange: once a day, some time about noon, for all symbols at once,
 * since they share it.
 * @returns microseconds; undefined for small days, on which it holds.
 */
export function connectionLostAt(exchange: string, day: Day, { rows, seed }: MarketSize): number | undefined {
  if (rows < LEAST_ROWS) return undefined;
  const share = 0.3 + 0.3 * seededRandom(seed, 'connection', exchange, day).next();
  return Math.floor((day + share) * US_A_DAY);
}
