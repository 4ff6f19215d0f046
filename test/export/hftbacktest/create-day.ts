import { createRandom } from '../../audit/text-rows.js';
import { MIDNIGHT } from './exporting.js';
import type { BookRow, TradeRow } from './slow-events.js';

/** Rows in few symbols, prices and times, so that equal ones meet; some are out of order on a clock. */
export function createDay(
  seed: number,
  symbols: readonly string[] = ['BTC'],
): { trades: TradeRow[]; book: BookRow[] } {
  const random = createRandom(seed);
  const chance = (probability: number): boolean => random() < probability;
  const whole = (below: number): number => Math.floor(random() * below);
  const pick = <T>(values: readonly T[]): T => values[whole(values.length)] as T;
  const disorder = pick([0, 0, 0.05, 0.4]);
  const lag = pick([0, 5, 300, -20]);
  const rows = (count: number): { timestamp: number; local: number; symbol: string; isNew: boolean }[] => {
    let local = MIDNIGHT + whole(50);
    let timestamp = local;
    return Array.from({ length: count }, () => {
      const isNew = chance(0.5);
      if (isNew) {
        local += whole(30) * (chance(disorder) ? -1 : 1);
        timestamp = local - lag - whole(20) + (chance(disorder) ? whole(100) : 0);
      }
      return { symbol: pick(symbols), timestamp, local, isNew };
    });
  };
  const cells = (): { price: string; amount: string } => ({
    price: pick(['99', '99.5', '100', '100.5', '101', '0.0001']),
    amount: pick(['0', '0', '1', '2.5', '1e-7']),
  });
  let isSnapshot = chance(0.8);
  let sides = ['bid', 'ask'];
  const book = rows(whole(6) === 0 ? 0 : whole(120)).map((row) => {
    if (row.isNew) {
      isSnapshot = chance(isSnapshot ? 0.4 : 0.15);
      sides = pick([['bid', 'ask'], ['bid'], ['ask']]);
    }
    return { ...row, ...cells(), isSnapshot, side: pick(sides) };
  });
  const trades = rows(whole(6) === 0 ? 0 : whole(80)).map((row) => ({
    ...row,
    ...cells(),
    side: pick(['buy', 'sell', 'unknown']),
  }));
  return { trades, book };
}
