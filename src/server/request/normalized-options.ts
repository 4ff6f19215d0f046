import type { Period } from '../../market/trade-bars.js';
import { type MessageSelection, parseMessageSelection, SELECTION_FIELDS } from './message-selection.js';
import { parseOptionFields, requireText } from './option-fields.js';
import { parseRequestPeriod } from './request-period.js';

/** Options of a normalized replay of one exchange (`docs/spec/local-server.md#normalized-options`). */
export interface NormalizedOptions extends MessageSelection {
  /** Local times in microseconds; may be empty. */
  readonly period: Period;
}

const KNOWN_FIELDS = [...SELECTION_FIELDS, 'from', 'to'];

/**
 * Parses one object or a list of objects; their order breaks ties.
 * @param warn called for each ignored field.
 * @throws usage error.
 */
export function parseNormalizedOptions(
  options: unknown,
  warn: (line: string) => void,
): readonly NormalizedOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', KNOWN_FIELDS, warn);
    return {
      ...parseMessageSelection(fields),
      period: parseRequestPeriod(requireText(fields, 'from'), requireText(fields, 'to')),
    };
  });
}
