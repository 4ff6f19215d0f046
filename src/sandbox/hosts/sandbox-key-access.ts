import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { SandboxExchange } from '../market/synthetic-exchanges.js';

/** Access of the key to one exchange, as in `GET /v1/api-key-info` (`docs/spec/metadata-api.md#key-info`). */
export interface SandboxKeyAccess {
  readonly exchange: string;
  readonly accessType: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** Empty for all symbols. */
  readonly symbols: readonly string[];
  readonly dataPlan: string;
}

/** Access to all data of the exchanges. */
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

/** Whether the key covers the day file. */
export function isFileAllowed(
  access: readonly SandboxKeyAccess[],
  { exchange, symbol, day }: DayFile,
): boolean {
  return access.some(
    (entry) =>
      entry.exchange === exchange &&
      (entry.symbols.length === 0 || entry.symbols.includes(symbol)) &&
      isWithin(day, entry),
  );
}

function isWithin(day: Day, { from, to }: SandboxKeyAccess): boolean {
  const start = day * 86_400_000;
  return start >= Date.parse(from) && start < Date.parse(to);
}
