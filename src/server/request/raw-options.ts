import { type MinuteRange, usRangeToMinutes } from '../../dataset/minute.js';
import type { FeedRequest } from '../../feeds/feed-run.js';
import { createFeedFilter, type FeedFilter } from '../../service/feed-filter.js';
import { parseOptionFields, readBoolean, readList, readTextList, requireText } from './option-fields.js';
import { parseRequestPeriod } from './request-period.js';

/** What `/replay` is asked for (service interface, Local replay server). */
export interface RawOptions extends FeedRequest {
  readonly withDisconnects: boolean;
}

const KNOWN = ['exchange', 'filters', 'from', 'to', 'withDisconnects'];

/** @param tell told of fields that are ignored. @throws usage error. */
export function parseRawOptions(options: unknown, tell: (line: string) => void): RawOptions {
  const fields = parseOptionFields(options, 'options', KNOWN, tell);
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    filters: (readList(fields, 'filters') ?? []).map((filter) => parseFilter(filter, tell)),
    range: parseMinutes(requireText(fields, 'from'), requireText(fields, 'to')),
    withDisconnects: readBoolean(fields, 'withDisconnects'),
  };
}

/** The whole minutes of a period: what is below a minute is cut off. @throws usage error. */
export function parseMinutes(from: string, to: string): MinuteRange {
  return usRangeToMinutes(parseRequestPeriod(from, to));
}

function parseFilter(value: unknown, tell: (line: string) => void): FeedFilter {
  const fields = parseOptionFields(value, 'filters', ['channel', 'symbols'], tell);
  return createFeedFilter(requireText(fields, 'channel'), readTextList(fields, 'symbols'));
}
