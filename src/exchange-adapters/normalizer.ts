import type { EmittedRecord, MessageRecord } from '../market/message-record.js';
import type { FeedFilter } from '../service/feed-filter.js';

export type EmitRecord = (record: MessageRecord) => void;
export type EmitTextRecord = (record: EmittedRecord) => void;

/**
 * Converts an exchange's own messages to records of one type. It has state (books during alignment, last
 * values of tickers), so each recorded connection needs a new one.
 */
export interface Normalizer {
  /** The channels that the records are computed from. @param symbols in any case; undefined for all. */
  filters(symbols: readonly string[] | undefined): readonly FeedFilter[];
  /**
   * Emits the records of a message; none for a message of another channel.
   * @param message parsed message of the exchange.
   * @param localTimestamp microseconds.
   * @throws UnknownFormError, or another TypeError or RangeError, for a message of its channels that has a form it
   * does not know; TickhaulError `corrupt` for a book that lacks updates; any other error for a message that must
   * not be left out.
   */
  read(message: unknown, localTimestamp: number, emit: EmitRecord): void;
  /**
   * Whether a message is of a form that `read` knows, although it may make no record of it. If omitted, those
   * are known that name a channel of the filters.
   */
  readonly handles?: ((message: unknown) => boolean) | undefined;
  /**
   * As `read`, for the unparsed text of a message in the most frequent form, which no other normalizer may
   * handle. Undefined if there is no such form.
   * @returns false for any other text, which must be parsed.
   */
  readonly readText?: ((text: string, localTimestamp: number, emit: EmitTextRecord) => boolean) | undefined;
  /**
   * Identifies a way of reading: normalizers of two days with the same kind handle both days' messages alike.
   */
  readonly kind: string;
}

/** A message of a known channel has a form that the exchange did not have when the normalizer was written. */
export class UnknownFormError extends TypeError {
  readonly channel: string;

  constructor(channel: string) {
    super(`unknown form of ${channel}`);
    this.channel = channel;
  }
}

/** The symbols of a filter in upper case, as most exchanges write them; without symbols the key is absent. */
export function toUpperCaseSymbols(symbols: readonly string[] | undefined): {
  readonly symbols?: readonly string[];
} {
  return mapSymbols(symbols, (symbol) => symbol.toUpperCase());
}

/** The symbols of a filter, each converted by `write`; without symbols the key is absent. */
export function mapSymbols(
  symbols: readonly string[] | undefined,
  write: (symbol: string) => string,
): { readonly symbols?: readonly string[] } {
  return symbols === undefined ? {} : { symbols: symbols.map(write) };
}

/** The symbols of a filter in lower case; without symbols the key is absent. */
export function toLowerCaseSymbols(symbols: readonly string[] | undefined): {
  readonly symbols?: readonly string[];
} {
  return mapSymbols(symbols, (symbol) => symbol.toLowerCase());
}

/** As `mapSymbols`, without repetitions, for channels of what several symbols have in common. */
export function mapToUniqueSymbols(
  symbols: readonly string[] | undefined,
  write: (symbol: string) => string,
): { readonly symbols?: readonly string[] } {
  return symbols === undefined ? {} : { symbols: [...new Set(symbols.map(write))] };
}
