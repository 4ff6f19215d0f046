import { usageError } from '../../base/errors.js';
import { type NormalizedType, parseMessageType } from '../../market/names/message-type-name.js';
import { type OptionFields, readBoolean, readTextList, requireText } from './option-fields.js';

/** Selected normalized messages of one exchange, for replays and live streams. */
export interface MessageSelection {
  readonly exchange: string;
  /** As in the request; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  readonly withDisconnects: boolean;
}

export const SELECTION_FIELDS = ['exchange', 'symbols', 'dataTypes', 'withDisconnectMessages'];

/** Parses the options that replays and live streams share. @throws usage error. */
export function parseMessageSelection(fields: OptionFields): MessageSelection {
  const symbols = readTextList(fields, 'symbols');
  const names = readTextList(fields, 'dataTypes') ?? [];
  if (names.length === 0)
    throw usageError('"dataTypes" is missing; add data types such as ["trade","book_change"]');
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    symbols: symbols?.length === 0 ? undefined : symbols,
    types: [...new Set(names)].map(parseMessageType),
    withDisconnects: readBoolean(fields, 'withDisconnectMessages'),
  };
}
