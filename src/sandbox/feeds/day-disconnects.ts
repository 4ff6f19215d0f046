import type { Day } from '../../dataset/day.js';
import { MINUTES_PER_DAY, US_PER_MINUTE } from '../../dataset/minute.js';
import { findConnectionLoss } from '../market/connection-loss.js';
import { seededRandom } from '../market/seeded-random.js';
import type { MarketSize } from '../market/market-size.js';

/** The breaks of a collector's connection to an exchange on a UTC day, in order. */
export interface DayDisconnects {
  /** Local times, in microseconds, of all of them. */
  readonly all: readonly number[];
  /** Those that are no part of the story, so that day files know nothing of them. */
  readonly added: readonly number[];
}

/** @param share of the minutes that have an added break. */
export function generateDisconnects(
  exchange: string,
  day: Day,
  size: MarketSize,
  share: number,
): DayDisconnects {
  const added: number[] = [];
  for (let i = 0; share > 0 && i < MINUTES_PER_DAY; i++) {
    const minute = day * MINUTES_PER_DAY + i;
    const random = seededRandom(size.seed, 'breaks', exchange, minute);
    if (random.chance(share)) added.push(minute * US_PER_MINUTE + random.int(US_PER_MINUTE));
  }
  const lost = findConnectionLoss(exchange, day, size);
  const all = lost === undefined ? added : [...added, lost].sort((a, b) => a - b);
  return { all, added };
}
