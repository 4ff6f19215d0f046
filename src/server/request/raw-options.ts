import { type MinuteRange, usRangeToMinutes } from '../../day-files/minute.js';
import type { FeedRequest } from '../../raw-feeds/feed-run.js';
import { createFeedFilter, type FeedFilter } from '../../service/feed-filter.js';
import { parseOptionFields, readBoolean, readList, readTextList, requireText } from './option-fields.js';
import { parseRequestPeriod } from './request-period.js';

/** Options of `/replay` (`docs/spec/local-server.md#get-replay`). */
export interface RawOptions extends FeedRequest {
  readonly withDisconnects: boolean;
}

const KNOWN_FIELDS = ['exchange', 'filters', 'from', 'to', 'withDisconnects'];

/** Parses the options of `/replay`. @param warn called for each ignored field. @throws usage error. */
export function parseRawOptions(options: unknown, warn: (line: string) => void): RawOptions {
  const fields = parseOptionFields(options, 'options', KNOWN_FIELDS, warn);
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    filters: (readList(fields, 'filters') ?? []).map((filter) => parseFilter(filter, warn)),
    range: parseMinutes(requireText(fields, 'from'), requireText(fields, 'to')),
    withDisconnects: readBoolean(fields, 'withDisconnects'),
  };
}

/** Parses a period; both ends are cut to whole minutes. @throws usage error. */
export function parseMinutes(from: string, to: string): MinuteRange {
  return usRangeToMinutes(parseRequestPeriod(from, to));
}

function parseFilter(value: unknown, warn: (line: string) => void): FeedFilter {
  const fields = parseOptionFields(value, 'filters', ['channel', 'symbols'], warn);
  return createFeedFilter(requireText(fields, 'channel'), readTextList(fields, 'symbols'));
}
