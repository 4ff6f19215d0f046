import { usageError } from '../../base/errors.js';
import type { Period } from '../../market/trade-bars.js';
import { parseInstant } from '../../replay/parse-period.js';

/**
 * Parses the period of a request to microseconds; it may be empty (`docs/spec/local-server.md#times-in-options`).
 * @throws usage error for an invalid time, an end before the start, and an end in the future.
 */
export function parseRequestPeriod(from: string, to: string, nowMs = Date.now()): Period {
  const start = parseInstant('from', normalizeTime(from), nowMs);
  const end = parseInstant('to', normalizeTime(to), nowMs);
  if (end < start) throw usageError(`to: ${to} is before from (${from}); choose a later end`);
  if (end > nowMs * 1000) throw usageError(`to: ${to} is after now; choose an end that has passed`);
  return { start, end };
}

/** Cuts digits below the microsecond, and restores a `+` that was decoded to a space; clients send both. */
function normalizeTime(text: string): string {
  return text
    .trim()
    .replace(/(\.\d{6})\d+/, '$1')
    .replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2');
}
