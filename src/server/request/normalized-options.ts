import type { Period } from '../../market/trade-bars.js';
import { type MessageSelection, parseMessageSelection, SELECTION_FIELDS } from './message-selection.js';
import { parseOptionFields, requireText } from './option-fields.js';
import { parseRequestPeriod } from './request-period.js';

/** What is wanted of one exchange (service interface, Local replay server). */
export interface NormalizedOptions extends MessageSelection {
  /** Local times in microseconds; it may be empty. */
  readonly period: Period;
}

const KNOWN = [...SELECTION_FIELDS, 'from', 'to'];

/**
 * One object, or a list of them, in the order that breaks ties.
 * @param tell told of fields that are ignored.
 * @throws usage error.
 */
export function parseNormalizedOptions(
  options: unknown,
  tell: (line: string) => void,
): readonly NormalizedOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', KNOWN, tell);
    return {
      ...parseMessageSelection(fields),
      period: parseRequestPeriod(requireText(fields, 'from'), requireText(fields, 'to')),
    };
  });
}
