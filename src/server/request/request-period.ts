import { usageError } from '../../base/errors.js';
import type { Period } from '../../market/trade-bars.js';
import { parseInstant } from '../../replay/parse-period.js';

/**
 * A client's period, in microseconds; it may be empty.
 * @throws usage error for what is no time, an end before the start, and one that is still to come.
 */
export function parseRequestPeriod(from: string, to: string, nowMs = Date.now()): Period {
  const start = parseInstant('from', normalizeTime(from), nowMs);
  const end = parseInstant('to', normalizeTime(to), nowMs);
  if (end < start) throw usageError(`to: ${to} is before from, ${from}`);
  if (end > nowMs * 1000) throw usageError(`to: ${to} is after now; choose an end that has passed`);
  return { start, end };
}

/** Digits past the microsecond fall away, and a `+` that came as a space is one again: clients write both. */
function normalizeTime(text: string): string {
  return text
    .trim()
    .replace(/(\.\d{6})\d+/, '$1')
    .replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2');
}
