import { createFeedFilter, type FeedFilter } from '../../service/feed-filter.js';
import { isMessageFields, type MessageFields } from '../message-fields.js';

/** The form of an exchange's subscribe messages. */
export interface SubscriptionForm {
  /** A valid message, as JSON. */
  readonly example: string;
  /**
   * Reads the filters of a subscribe message; undefined if it is invalid. An empty list selects the whole
   * exchange.
   * @param at microseconds: the replayed time, since some exchanges changed their messages.
   */
  readonly read: (message: unknown, at: number) => readonly FeedFilter[] | undefined;
}

/** Creates a form whose messages are objects. */
export function createForm(
  example: string,
  read: (message: MessageFields, at: number) => readonly FeedFilter[] | undefined,
): SubscriptionForm {
  return { example, read: (message, at) => (isMessageFields(message) ? read(message, at) : undefined) };
}

/** Combines two forms into one that accepts both. */
export function eitherForm(first: SubscriptionForm, second: SubscriptionForm): SubscriptionForm {
  return {
    example: first.example,
    read: (message, at) => first.read(message, at) ?? second.read(message, at),
  };
}

/** Returns a text, or a list of texts, as a list; undefined for anything else, and for an empty list. */
export function toTexts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item) => typeof item === 'string') ? list : undefined;
}

/** Returns a text that is not empty; undefined for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Creates a filter of a channel and optional symbols; undefined if one of them is not text. */
export function toFilter(channel: unknown, symbols: unknown): FeedFilter | undefined {
  const name = toText(channel);
  const isAll = symbols === undefined || symbols === null || (Array.isArray(symbols) && symbols.length === 0);
  const texts = isAll ? [] : toTexts(symbols);
  return name === undefined || texts === undefined ? undefined : createFeedFilter(name, texts);
}

/** As `toFilter`, as a list. */
export function toFilterList(channel: unknown, symbols: unknown): readonly FeedFilter[] | undefined {
  const filter = toFilter(channel, symbols);
  return filter && [filter];
}

/** Reads a filter from each item; undefined if one item has none, or if there are no items. */
export function mapAllOrNone<Item>(
  items: readonly Item[] | undefined,
  read: (item: Item) => FeedFilter | undefined,
): readonly FeedFilter[] | undefined {
  const filters = (items ?? []).map(read);
  const known = filters.filter((filter) => filter !== undefined);
  return known.length > 0 && known.length === filters.length ? known : undefined;
}

/** The filters of a name that selects one or more channels of the feed; undefined for an unknown name. */
export function namedFilters(
  name: unknown,
  symbols: unknown,
  channels: Readonly<Record<string, readonly string[]>>,
): readonly FeedFilter[] | undefined {
  const known = typeof name === 'string' && Object.hasOwn(channels, name) ? channels[name] : undefined;
  return mapAllOrNone(known, (channel) => toFilter(channel, symbols));
}

/**
 * Splits `channel<separator>symbol` at the first separator; without a separator, the filter selects all
 * symbols.
 */
export function splitAtFirst(text: string, separator: string): FeedFilter {
  const at = text.indexOf(separator);
  return at < 0 ? createFeedFilter(text) : createFeedFilter(text.slice(0, at), [text.slice(at + 1)]);
}

/** As `splitAtFirst`, at the last separator. */
export function splitAtLast(text: string, separator: string): FeedFilter {
  const at = text.lastIndexOf(separator);
  return at < 0 ? createFeedFilter(text) : createFeedFilter(text.slice(0, at), [text.slice(at + 1)]);
}
