import type { Period } from '../../market/trade-bars.js';
import { readFields, textOf } from './fields.js';
import { readPeriod } from './period.js';
import { readSelected, SELECTED_FIELDS, type Selected } from './selected.js';

/** What is wanted of one exchange (service interface, Local replay server). */
export interface NormalizedOptions extends Selected {
  /** Local times in microseconds; it may be empty. */
  readonly period: Period;
}

const KNOWN = [...SELECTED_FIELDS, 'from', 'to'];

/**
 * One object, or a list of them, in the order that breaks ties.
 * @param tell told of fields that are ignored.
 * @throws usage error.
 */
export function readNormalizedOptions(
  options: unknown,
  tell: (line: string) => void,
): readonly NormalizedOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = readFields(option, 'options', KNOWN, tell);
    return {
      ...readSelected(fields),
      period: readPeriod(textOf(fields, 'from'), textOf(fields, 'to')),
    };
  });
}
