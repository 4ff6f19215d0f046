import type { OpenedFeed } from '../../feeds/open-feed.js';
import type { NormalizedType } from '../../market/names/data-type-name.js';
import type { Period } from '../../market/trade-bars.js';

/** What is wanted of one exchange's feed; plain data. */
export interface FeedSource {
  readonly exchange: string;
  /** In any case; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** Local times in microseconds, of whole minutes. */
  readonly period: Period;
  /** Whether breaks of the collector's connection are messages. */
  readonly withDisconnects: boolean;
}

/** A source that can be read. */
export interface OpenSource {
  /** With its symbols as the exchange's record has them. */
  readonly source: FeedSource;
  /** One for each stretch of the period in which the same is asked for, in order. */
  readonly feeds: readonly OpenedFeed[];
  /** Whether several threads may share its messages, by symbol. */
  readonly isDivisible: boolean;
}
