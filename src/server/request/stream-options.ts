import { MAX_TIMER_MS } from '../../base/deadline.js';
import { usageError } from '../../base/errors.js';
import { kindOf } from '../../base/kind-of.js';
import type { LiveOption } from '../../live/types.js';
import { type Fields, readFields, toggleOf } from './fields.js';
import { readSelected, SELECTED_FIELDS } from './selected.js';

/** What is wanted of one exchange, live (service interface, Local replay server). */
export interface StreamOptions extends LiveOption {
  /** An `error` message for each connection that ended or failed. */
  readonly withErrorMessages: boolean;
}

const KNOWN = [...SELECTED_FIELDS, 'timeoutIntervalMS', 'withErrorMessages'];
const TIMEOUT_INTERVAL_MS = 10_000;

/**
 * One object, or a list of them.
 * @param tell told of fields that are ignored.
 * @throws usage error.
 */
export function readStreamOptions(options: unknown, tell: (line: string) => void): readonly StreamOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = readFields(option, 'options', KNOWN, tell);
    return {
      ...readSelected(fields),
      timeoutIntervalMs: timeoutOf(fields),
      withErrorMessages: toggleOf(fields, 'withErrorMessages'),
    };
  });
}

/** Milliseconds. @throws usage error for what no timer can have. */
function timeoutOf(fields: Fields): number {
  const name = 'timeoutIntervalMS';
  const value = fields[name] ?? TIMEOUT_INTERVAL_MS;
  if (typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS) return value;
  const found = typeof value === 'number' ? value : kindOf(value);
  throw usageError(`"${name}": expected milliseconds, 0 to ${MAX_TIMER_MS}, found ${found}`);
}
