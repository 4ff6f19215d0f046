import { createFeedFilter, type FeedFilter } from '../../service/feed-filter.js';
import { isMessageFields, type MessageFields } from '../message-fields.js';

/** How an exchange's clients subscribe. */
export interface SubscriptionForm {
  /** A message that is understood, as JSON. */
  readonly example: string;
  /**
   * The filters of a subscribe message; undefined where it isn't understood. No filter at all is the whole exchange.
   * @param at microseconds: the time that is replayed, since some exchanges changed their messages.
   */
  readonly read: (message: unknown, at: number) => readonly FeedFilter[] | undefined;
}

/** A form whose messages are objects. */
export function createForm(
  example: string,
  read: (message: MessageFields, at: number) => readonly FeedFilter[] | undefined,
): SubscriptionForm {
  return { example, read: (message, at) => (isMessageFields(message) ? read(message, at) : undefined) };
}

/** A form in which either of two is understood. */
export function either(one: SubscriptionForm, other: SubscriptionForm): SubscriptionForm {
  return { example: one.example, read: (message, at) => one.read(message, at) ?? other.read(message, at) };
}

/** A text, or a list of texts; undefined for anything else, an empty list too. */
export function toTexts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item) => typeof item === 'string') ? list : undefined;
}

/** A text that isn't empty; undefined for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A filter of a channel and its symbols, which may be left out; undefined where something isn't text. */
export function toFilter(channel: unknown, symbols: unknown): FeedFilter | undefined {
  const name = toText(channel);
  const isAll = symbols === undefined || symbols === null || (Array.isArray(symbols) && symbols.length === 0);
  const texts = isAll ? [] : toTexts(symbols);
  return name === undefined || texts === undefined ? undefined : createFeedFilter(name, texts);
}

/** The same, as a list. */
export function toFilterList(channel: unknown, symbols: unknown): readonly FeedFilter[] | undefined {
  const filter = toFilter(channel, symbols);
  return filter && [filter];
}

/** A filter of each item; undefined where one of them gives none, or there is no item. */
export function mapAllOrNone<Item>(
  items: readonly Item[] | undefined,
  read: (item: Item) => FeedFilter | undefined,
): readonly FeedFilter[] | undefined {
  const filters = (items ?? []).map(read);
  const known = filters.filter((filter) => filter !== undefined);
  return known.length > 0 && known.length === filters.length ? known : undefined;
}

/** The filters of a name that stands for one channel of the feed, or for several. */
export function namedFilters(
  name: unknown,
  symbols: unknown,
  channels: Readonly<Record<string, readonly string[]>>,
): readonly FeedFilter[] | undefined {
  const known = typeof name === 'string' && Object.hasOwn(channels, name) ? channels[name] : undefined;
  return mapAllOrNone(known, (channel) => toFilter(channel, symbols));
}

/** `channel<separator>symbol`, cut at the first separator; without one, all symbols of the channel. */
export function splitAtFirst(text: string, separator: string): FeedFilter {
  const at = text.indexOf(separator);
  return at < 0 ? createFeedFilter(text) : createFeedFilter(text.slice(0, at), [text.slice(at + 1)]);
}

/** The same, cut at the last. */
export function splitAtLast(text: string, separator: string): FeedFilter {
  const at = text.lastIndexOf(separator);
  return at < 0 ? createFeedFilter(text) : createFeedFilter(text.slice(0, at), [text.slice(at + 1)]);
}
