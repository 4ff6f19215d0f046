/**
 * What the raw data API is asked for: the messages of one channel, of some symbols or, without any, of all (service
 * interface, Raw data replay API).
 */
export interface FeedFilter {
  readonly channel: string;
  readonly symbols?: readonly string[];
}

/** A filter of a channel; without symbols, or with none, of all. */
export function createFeedFilter(channel: string, symbols?: readonly string[]): FeedFilter {
  return symbols === undefined || symbols.length === 0 ? { channel } : { channel, symbols };
}
