import { usageError } from '../../base/errors.js';
import { type NormalizedType, parseDataTypeName } from '../../market/names/data-type-name.js';
import { type OptionFields, readBoolean, readTextList, requireText } from './option-fields.js';

/** Which normalized messages of an exchange a client wants, replayed or live. */
export interface MessageSelection {
  readonly exchange: string;
  /** As the client wrote them; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  readonly withDisconnects: boolean;
}

export const SELECTION_FIELDS = ['exchange', 'symbols', 'dataTypes', 'withDisconnectMessages'];

/** @throws usage error. */
export function parseMessageSelection(fields: OptionFields): MessageSelection {
  const symbols = readTextList(fields, 'symbols');
  const names = readTextList(fields, 'dataTypes') ?? [];
  if (names.length === 0) throw usageError('"dataTypes" is missing: name some, as ["trade","book_change"]');
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    symbols: symbols?.length === 0 ? undefined : symbols,
    types: [...new Set(names)].map(parseDataTypeName),
    withDisconnects: readBoolean(fields, 'withDisconnectMessages'),
  };
}
