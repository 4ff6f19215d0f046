import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { SandboxExchange } from '../market/synthetic-exchanges.js';

/** What the key may read of one exchange, as `GET /v1/api-key-info` sends it (service facts, Metadata). */
export interface SandboxKeyAccess {
  readonly exchange: string;
  readonly accessType: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** Empty for all. */
  readonly symbols: readonly string[];
  readonly dataPlan: string;
}

/** Everything there is. */
export function createFullAccess(exchanges: readonly SandboxExchange[]): readonly SandboxKeyAccess[] {
  return exchanges.map((record) => ({
    exchange: record.id,
    accessType: 'api-key',
    from: record.availableSince,
    to: record.datasets?.exportedUntil ?? record.availableTo ?? record.availableSince,
    symbols: [],
    dataPlan: 'pro',
  }));
}

/** Whether the key may read the day file. */
export function isFileAllowed(access: readonly SandboxKeyAccess[], { exchange, symbol, day }: DayFile): boolean {
  return access.some(
    (one) =>
      one.exchange === exchange &&
      (one.symbols.length === 0 || one.symbols.includes(symbol)) &&
      isWithin(day, one),
  );
}

function isWithin(day: Day, { from, to }: SandboxKeyAccess): boolean {
  const start = day * 86_400_000;
  return start >= Date.parse(from) && start < Date.parse(to);
}
