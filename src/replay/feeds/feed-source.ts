import type { SymbolChoice } from '../../dataset/dataset-symbol.js';
import type { OpenedFeed } from '../../feeds/open-feed.js';
import type { NormalizedType } from '../../market/names/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';

/** The selection from one exchange's feed; plain data. */
export interface FeedSource {
  readonly exchange: string;
  /** In any case; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** Local times in microseconds; whole minutes. */
  readonly period: Period;
  /** Whether disconnects of the collector are output as messages. */
  readonly withDisconnects: boolean;
}

/** A selection before the exchange's symbols are known: some may be lists. */
export interface RequestedFeedSource extends Omit<FeedSource, 'symbols'> {
  readonly symbols: readonly SymbolChoice[] | undefined;
}

/** A source that can be read. */
export interface OpenSource {
  /** Its symbols are spelled as in the exchange's record. */
  readonly source: FeedSource;
  /** One feed for each part of the period with the same filters, in order. */
  readonly feeds: readonly OpenedFeed[];
}
