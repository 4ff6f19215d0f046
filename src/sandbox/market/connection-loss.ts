import type { Day } from '../../dataset/day.js';
import { seededRandom } from './seeded-random.js';
import type { MarketSize } from './market-size.js';

const US_PER_DAY = 86_400_000_000;
/** Days of fewer rows have no room for a second snapshot of the book. */
const MIN_ROWS = 500;

/**
 * When the collector loses its connection to an exchange: once a day, some time about noon, for all symbols at once,
 * since they share it.
 * @returns microseconds; undefined for small days, on which it holds.
 */
export function findConnectionLoss(exchange: string, day: Day, { rows, seed }: MarketSize): number | undefined {
  if (rows < MIN_ROWS) return undefined;
  const share = 0.3 + 0.3 * seededRandom(seed, 'connection', exchange, day).next();
  return Math.floor((day + share) * US_PER_DAY);
}
