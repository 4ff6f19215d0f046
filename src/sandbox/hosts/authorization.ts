import { type Day, isFirstDayOfMonth } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { SandboxKeyAccess } from '../sandbox-options.js';
import type { SandboxExchange } from '../simulation/synthetic-exchanges.js';
import { type SandboxCall, sendSandboxError } from './sandbox-call.js';

/** The valid key of the embedded service. */
export const SANDBOX_KEY = 'sandbox-key';
/** An expired key, which only the key check accepts. */
const SANDBOX_EXPIRED_KEY = 'sandbox-expired-key';
/** Whether the request has the valid key. */
export function hasKey({ request }: SandboxCall): boolean {
  return request.headers.authorization === `Bearer ${SANDBOX_KEY}`;
}

export function hasExpiredKey({ request }: SandboxCall): boolean {
  return request.headers.authorization === `Bearer ${SANDBOX_EXPIRED_KEY}`;
}

/** Whether the day may be served: first days of a month are free (`docs/spec/datasets-api.md#authorization`). */
export function isAuthorized(call: SandboxCall, day: Day): boolean {
  return isFirstDayOfMonth(day) || hasKey(call);
}

/** Sends 401 with code 11 (`docs/spec/datasets-api.md#data-errors`). */
export function sendKeyRefusal(call: SandboxCall): Promise<void> {
  const message =
    call.request.headers.authorization === undefined
      ? 'Authorization header with an API key is required; without one only the first day of each month is served'
      : 'The API key is invalid or has expired';
  return sendSandboxError(call, 401, 11, message);
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
