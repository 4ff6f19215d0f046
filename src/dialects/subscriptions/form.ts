import { type Filter, filterOf } from '../../service/feed-filter.js';
import { type Fields, isFields } from '../fields.js';

/** How an exchange's clients subscribe. */
export interface SubscriptionForm {
  /** A message that is understood, as JSON. */
  readonly example: string;
  /**
   * The filters of a subscribe message; undefined where it isn't understood. No filter at all is the whole exchange.
   * @param at microseconds: the time that is replayed, since some exchanges changed their messages.
   */
  readonly read: (message: unknown, at: number) => readonly Filter[] | undefined;
}

/** A form whose messages are objects. */
export function form(
  example: string,
  read: (message: Fields, at: number) => readonly Filter[] | undefined,
): SubscriptionForm {
  return { example, read: (message, at) => (isFields(message) ? read(message, at) : undefined) };
}

/** A form in which either of two is understood. */
export function either(one: SubscriptionForm, other: SubscriptionForm): SubscriptionForm {
  return { example: one.example, read: (message, at) => one.read(message, at) ?? other.read(message, at) };
}

/** A text, or a list of texts; undefined for anything else, an empty list too. */
export function textsIn(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item) => typeof item === 'string') ? list : undefined;
}

/** A text that isn't empty; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A filter of a channel and its symbols, which may be left out; undefined where something isn't text. */
export function filterIn(channel: unknown, symbols: unknown): Filter | undefined {
  const name = textIn(channel);
  const isAll = symbols === undefined || symbols === null || (Array.isArray(symbols) && symbols.length === 0);
  const texts = isAll ? [] : textsIn(symbols);
  return name === undefined || texts === undefined ? undefined : filterOf(name, texts);
}

/** The same, as a list. */
export function oneFilter(channel: unknown, symbols: unknown): readonly Filter[] | undefined {
  const filter = filterIn(channel, symbols);
  return filter && [filter];
}

/** A filter of each item; undefined where one of them gives none, or there is no item. */
export function eachOf<Item>(
  items: readonly Item[] | undefined,
  read: (item: Item) => Filter | undefined,
): readonly Filter[] | undefined {
  const filters = (items ?? []).map(read);
  const known = filters.filter((filter) => filter !== undefined);
  return known.length > 0 && known.length === filters.length ? known : undefined;
}

/** The filters of a name that stands for one channel of the feed, or for several. */
export function namedFilters(
  name: unknown,
  symbols: unknown,
  channels: Readonly<Record<string, readonly string[]>>,
): readonly Filter[] | undefined {
  const known = typeof name === 'string' && Object.hasOwn(channels, name) ? channels[name] : undefined;
  return eachOf(known, (channel) => filterIn(channel, symbols));
}

/** `channel<separator>symbol`, cut at the first separator; without one, all symbols of the channel. */
export function cutAtFirst(text: string, separator: string): Filter {
  const at = text.indexOf(separator);
  return at < 0 ? filterOf(text) : filterOf(text.slice(0, at), [text.slice(at + 1)]);
}

/** The same, cut at the last. */
export function cutAtLast(text: string, separator: string): Filter {
  const at = text.lastIndexOf(separator);
  return at < 0 ? filterOf(text) : filterOf(text.slice(0, at), [text.slice(at + 1)]);
}
