import { type Day, isFirstDayOfMonth } from '../../day-files/day.js';
import { type SandboxCall, sendSandboxError } from '../http/sandbox-call.js';

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
