import type { Day } from '../../dataset/day.js';
import { MINUTES_PER_DAY, US_PER_MINUTE } from '../../dataset/minute.js';
import { findConnectionLoss } from '../market/connection-loss.js';
import type { MarketSize } from '../market/market-size.js';
import { seededRandom } from '../market/seeded-random.js';

/** The disconnects of a collector from an exchange on a UTC day, in order. */
export interface DayDisconnects {
  /** Local times of all disconnects, in microseconds. */
  readonly all: readonly number[];
  /** Disconnects that are not part of the simulation, so that day files do not show them. */
  readonly added: readonly number[];
}

/** @param share share of the minutes with an added disconnect. */
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
