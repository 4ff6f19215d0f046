/**
 * Filter of the raw data API: the messages of one channel, for the given symbols or, without symbols, for all
 * (`docs/spec/raw-feeds-api.md#filters`).
 */
export interface FeedFilter {
  readonly channel: string;
  readonly symbols?: readonly string[];
}

/** Creates the filter of a channel. An absent or empty list of symbols selects all. */
export function createFeedFilter(channel: string, symbols?: readonly string[]): FeedFilter {
  return symbols === undefined || symbols.length === 0 ? { channel } : { channel, symbols };
}
