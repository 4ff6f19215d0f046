import { type Day, isFirstDayOfMonth } from '../../dataset/day.js';
import { type SandboxCall, sendSandboxError } from '../http/sandbox-call.js';

/** The one key of the embedded service. */
export const SANDBOX_KEY = 'sandbox-key';
/** A key whose time is over: the key check knows it, and nothing else. */
export const SANDBOX_EXPIRED_KEY = 'sandbox-expired-key';

/** Whether the request brings the key. */
export function hasKey({ request }: SandboxCall): boolean {
  return request.headers.authorization === `Bearer ${SANDBOX_KEY}`;
}

export function hasExpiredKey({ request }: SandboxCall): boolean {
  return request.headers.authorization === `Bearer ${SANDBOX_EXPIRED_KEY}`;
}

/** Whether the day may be served: the first of a month to everybody (service interface, Datasets API, rule 4). */
export function isAuthorized(call: SandboxCall, day: Day): boolean {
  return isFirstDayOfMonth(day) || hasKey(call);
}

/** 401 with code 11 (service facts, Dataset host). */
export function sendKeyRefusal(call: SandboxCall): Promise<void> {
  const message =
    call.request.headers.authorization === undefined
      ? 'Authorization header with an API key is required; without one only the first day of each month is served'
      : 'The API key is invalid or has expired';
  return sendSandboxError(call, 401, 11, message);
}
