import { usageError } from '../../base/errors.js';
import { describeKind } from '../../base/text.js';
import { MAX_TIMER_MS } from '../../base/wait.js';
import type { LiveOption } from '../../live/live-options.js';
import { parseMessageSelection, SELECTION_FIELDS } from './message-selection.js';
import { type OptionFields, parseOptionFields, readBoolean } from './option-fields.js';

/** Options of a live stream of one exchange (`docs/spec/local-server.md#stream-options`). */
export interface ServerStreamOptions extends LiveOption {
  /** Whether to send an `error` message for each lost or failed connection. */
  readonly withErrorMessages: boolean;
}

const KNOWN_FIELDS = [...SELECTION_FIELDS, 'timeoutIntervalMS', 'withErrorMessages'];
const DEFAULT_TIMEOUT_INTERVAL_MS = 10_000;

/**
 * Parses one object or a list of objects.
 * @param warn called for each ignored field.
 * @throws usage error.
 */
export function parseServerStreamOptions(
  options: unknown,
  warn: (line: string) => void,
): readonly ServerStreamOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', KNOWN_FIELDS, warn);
    return {
      ...parseMessageSelection(fields),
      timeoutIntervalMs: parseTimeoutMs(fields),
      withErrorMessages: readBoolean(fields, 'withErrorMessages'),
    };
  });
}

/** Reads milliseconds. @throws usage error if a timer does not support the value. */
function parseTimeoutMs(fields: OptionFields): number {
  const name = 'timeoutIntervalMS';
  const value = fields[name] ?? DEFAULT_TIMEOUT_INTERVAL_MS;
  if (typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS) return value;
  const found = typeof value === 'number' ? value : describeKind(value);
  throw usageError(`"${name}": expected milliseconds, 0 to ${MAX_TIMER_MS}, found ${found}`);
}
