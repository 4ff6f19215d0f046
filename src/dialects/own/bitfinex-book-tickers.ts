import { toFields } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { toUpperCaseSymbols } from './filter-symbols.js';
import { eventTimeFromMs, parseOptionalNumber } from './parse-values.js';

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
      emit({
        type: 'book_ticker',
        symbol: pair,
        askAmount: parseOptionalNumber(askAmount),
        askPrice: parseOptionalNumber(askPrice),
        bidPrice: parseOptionalNumber(bidPrice),
        bidAmount: parseOptionalNumber(bidAmount),
        ...eventTimeFromMs(ms, localTimestamp),
      });
    },
  };
}
