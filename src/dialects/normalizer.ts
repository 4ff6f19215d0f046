import type { SourceRecord } from '../market/records/source-record.js';
import type { FeedFilter } from '../service/feed-filter.js';

export type EmitRecord = (record: SourceRecord) => void;

/**
 * Makes records of one type of an exchange's own messages. It keeps state (books that are being aligned, tickers' last
 * values): one is made for each connection that the messages were collected with, and thrown away where that broke.
 */
export interface Normalizer {
  /**
   * Channels that the records are made of.
   * @param symbols in any case; undefined for all.
   */
  filters(symbols: readonly string[] | undefined): readonly FeedFilter[];
  /**
   * Gives the records of a message, none where it is of another channel.
   * @param message the exchange's message, parsed.
   * @param localTimestamp microseconds.
   */
  read(message: unknown, localTimestamp: number, emit: EmitRecord): void;
  /**
   * The same for the text of a message, where it has the form that nearly all have: it is of no other normalizer then.
   * Undefined where there is no such form.
   * @returns false for any other text, which is to be parsed.
   */
  readonly readText?: ((text: string, localTimestamp: number, emit: EmitRecord) => boolean) | undefined;
  /**
   * What tells two ways of reading apart: normalizers that are made for two days and have the same kind read both
   * days' messages alike.
   */
  readonly kind: string;
}
