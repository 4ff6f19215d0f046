import { usageError } from '../../base/errors.js';
import { type NormalizedType, parseDataTypeName } from '../../market/names/data-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import { readFields, textOf, textsOf, toggleOf } from './fields.js';
import { readPeriod } from './period.js';

/** What is wanted of one exchange (service interface, Local replay server). */
export interface NormalizedOptions {
  readonly exchange: string;
  /** As the client wrote them; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** Local times in microseconds; it may be empty. */
  readonly period: Period;
  readonly withDisconnects: boolean;
}

const KNOWN = ['exchange', 'symbols', 'from', 'to', 'dataTypes', 'withDisconnectMessages'];

/**
 * One object, or a list of them, in the order that breaks ties.
 * @param tell told of fields that are ignored.
 * @throws usage error.
 */
export function readNormalizedOptions(
  options: unknown,
  tell: (line: string) => void,
): readonly NormalizedOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => readOne(option, tell));
}

function readOne(option: unknown, tell: (line: string) => void): NormalizedOptions {
  const fields = readFields(option, 'options', KNOWN, tell);
  const symbols = textsOf(fields, 'symbols');
  const names = textsOf(fields, 'dataTypes') ?? [];
  if (names.length === 0) throw usageError('"dataTypes" is missing: name some, as ["trade","book_change"]');
  return {
    exchange: textOf(fields, 'exchange').trim().toLowerCase(),
    symbols: symbols?.length === 0 ? undefined : symbols,
    types: [...new Set(names)].map(parseDataTypeName),
    period: readPeriod(textOf(fields, 'from'), textOf(fields, 'to')),
    withDisconnects: toggleOf(fields, 'withDisconnectMessages'),
  };
}
