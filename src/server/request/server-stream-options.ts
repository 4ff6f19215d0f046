import { MAX_TIMER_MS } from '../../base/deadline.js';
import { describeKind } from '../../base/describe-kind.js';
import { usageError } from '../../base/errors.js';
import type { LiveOption } from '../../live/live-options.js';
import { parseMessageSelection, SELECTION_FIELDS } from './message-selection.js';
import { type OptionFields, parseOptionFields, readBoolean } from './option-fields.js';

/** What is wanted of one exchange, live (service interface, Local replay server). */
export interface ServerStreamOptions extends LiveOption {
  /** An `error` message for each connection that ended or failed. */
  readonly withErrorMessages: boolean;
}

const KNOWN = [...SELECTION_FIELDS, 'timeoutIntervalMS', 'withErrorMessages'];
const TIMEOUT_INTERVAL_MS = 10_000;

/**
 * One object, or a list of them.
 * @param tell told of fields that are ignored.
 * @throws usage error.
 */
export function parseServerStreamOptions(
  options: unknown,
  tell: (line: string) => void,
): readonly ServerStreamOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', KNOWN, tell);
    return {
      ...parseMessageSelection(fields),
      timeoutIntervalMs: parseTimeoutMs(fields),
      withErrorMessages: readBoolean(fields, 'withErrorMessages'),
    };
  });
}

/** Milliseconds. @throws usage error for what no timer can have. */
function parseTimeoutMs(fields: OptionFields): number {
  const name = 'timeoutIntervalMS';
  const value = fields[name] ?? TIMEOUT_INTERVAL_MS;
  if (typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS) return value;
  const found = typeof value === 'number' ? value : describeKind(value);
  throw usageError(`"${name}": expected milliseconds, 0 to ${MAX_TIMER_MS}, found ${found}`);
}
