import type { BookTickerRecord } from '../../market/message-record.js';
import {
  type EventTime,
  eventTimeFromMs,
  parseOptionalNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type Normalizer, toUpperCaseSymbols } from '../normalizer.js';

/** Price and amount of a side, each a number or its text; undefined values are missing. */
type BestLevel = readonly [price: unknown, amount: unknown];

/**
 * Creates a record of the best levels that a message has.
 * @param parse parses each number, depending on how the exchange states that it has none.
 */
export function createBookTicker(
  symbol: string,
  [askPrice, askAmount]: BestLevel,
  [bidPrice, bidAmount]: BestLevel,
  time: EventTime,
  parse: (value: unknown) => number | undefined = parseOptionalNumber,
): BookTickerRecord {
  return {
    type: 'book_ticker',
    symbol,
    askAmount: parse(askAmount),
    askPrice: parse(askPrice),
    bidPrice: parse(bidPrice),
    bidAmount: parse(bidAmount),
    ...time,
  };
}

/** Values in a ticker of a trading pair; tickers of funding currencies have more. */
const MAX_PAIR_VALUES = 11;

/**
 * Tickers of Bitfinex (docs.bitfinex.com, WebSocket v2, Ticker): `[channel id, [bid, bid size, ask, ask size,
 * …], sequence, ms]`. The collector adds the channel and the pair since 2020. Before that, and on live
 * connections, the answer to the subscription has the pair of the channel id.
 */
export function bitfinexBookTickers(): Normalizer {
  const pairs = new Map<unknown, string>();
  return {
    kind: 'bitfinex-book-tickers',
    filters: (symbols) => [{ channel: 'ticker', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      if (!Array.isArray(message)) {
        const { event, channel, chanId, pair } = toFields(message);
        const isTicker = event === 'subscribed' && channel === 'ticker' && typeof pair === 'string';
        if (isTicker) pairs.set(chanId, pair);
        return;
      }
      const [chanId, values, , ms] = message as readonly unknown[];
      const [channel, symbol] = (message as readonly unknown[]).slice(-2);
      const isNamed = typeof channel === 'string' && typeof symbol === 'string';
      const pair = isNamed ? (channel === 'ticker' ? symbol : undefined) : pairs.get(chanId);
      if (pair === undefined || values === 'hb') return;
      if (!Array.isArray(values)) throw new TypeError('the values of a ticker are not a list');
      if (values.length > MAX_PAIR_VALUES) return;
      const [bidPrice, bidAmount, askPrice, askAmount] = values as readonly unknown[];
      const time = eventTimeFromMs(ms, localTimestamp);
      emit(createBookTicker(pair, [askPrice, askAmount], [bidPrice, bidAmount], time));
    },
  };
}

/**
 * Tickers of Crypto.com (Exchange API v1, ticker.{instrument_name}): best bid `b`, best ask `k`, and, since
 * December 2025 for all instruments, their sizes `bs` and `ks`.
 */
export function cryptoComBookTickers(): Normalizer {
  return {
    kind: 'crypto-com-book-tickers',
    filters: (symbols) => [{ channel: 'ticker', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { channel, instrument_name, data } = toFields(toFields(message)['result']);
      if (channel !== 'ticker') return;
      for (const { b, bs, k, ks, t } of toFieldsList(data)) {
        const time = eventTimeFromMs(t, localTimestamp);
        emit(createBookTicker(String(instrument_name), [k, ks], [b, bs], time));
      }
    },
  };
}
