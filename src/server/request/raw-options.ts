import { type MinuteRange, minutesOf } from '../../dataset/minutes.js';
import type { FeedRequest } from '../../feeds/types.js';
import { type Filter, filterOf } from '../../service/feed-filter.js';
import { listOf, readFields, textOf, textsOf, toggleOf } from './fields.js';
import { readPeriod } from './period.js';

/** What `/replay` is asked for (service interface, Local replay server). */
export interface RawOptions extends FeedRequest {
  readonly withDisconnects: boolean;
}

const KNOWN = ['exchange', 'filters', 'from', 'to', 'withDisconnects'];

/** @param tell told of fields that are ignored. @throws usage error. */
export function readRawOptions(options: unknown, tell: (line: string) => void): RawOptions {
  const fields = readFields(options, 'options', KNOWN, tell);
  return {
    exchange: textOf(fields, 'exchange').trim().toLowerCase(),
    filters: (listOf(fields, 'filters') ?? []).map((filter) => readFilter(filter, tell)),
    range: readMinutes(textOf(fields, 'from'), textOf(fields, 'to')),
    withDisconnects: toggleOf(fields, 'withDisconnects'),
  };
}

/** The whole minutes of a period: what is below a minute is cut off. @throws usage error. */
export function readMinutes(from: string, to: string): MinuteRange {
  return minutesOf(readPeriod(from, to));
}

function readFilter(value: unknown, tell: (line: string) => void): Filter {
  const fields = readFields(value, 'filters', ['channel', 'symbols'], tell);
  return filterOf(textOf(fields, 'channel'), textsOf(fields, 'symbols'));
}
