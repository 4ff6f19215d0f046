import { toFields, toFieldsList } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { toUpperCaseSymbols } from './filter-symbols.js';
import { eventTimeFromMs, parseOptionalNumber } from './parse-values.js';

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
        emit({
          type: 'book_ticker',
          symbol: String(instrument_name),
          askAmount: parseOptionalNumber(ks),
          askPrice: parseOptionalNumber(k),
          bidPrice: parseOptionalNumber(b),
          bidAmount: parseOptionalNumber(bs),
          ...eventTimeFromMs(t, localTimestamp),
        });
      }
    },
  };
}
