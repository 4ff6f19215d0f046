import type { Day } from '../../dataset/day.js';
import type { MarketSize } from './market-size.js';
import { seededRandom } from './seeded-random.js';

const US_PER_DAY = 86_400_000_000;
/** With fewer rows, a day has no room for a second snapshot of the book. */
const MIN_ROWS = 500;

/**
 * Local time at which the collector loses its connection to an exchange: once per day around noon, for all symbols at
 * once, since they share the connection.
 * @returns microseconds; undefined for days with few rows, which have no loss.
 */
export function findConnectionLoss(
  exchange: string,
  day: Day,
  { rows, seed }: MarketSize,
): number | undefined {
  if (rows < MIN_ROWS) return undefined;
  const share = 0.3 + 0.3 * seededRandom(seed, 'connection', exchange, day).next();
  return Math.floor((day + share) * US_PER_DAY);
}
