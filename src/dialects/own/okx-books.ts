import { toFields, toFieldsList } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { toUpperCaseSymbols } from './filter-symbols.js';
import { eventTimeFromMs, parseLevelPairs } from './parse-values.js';

/**
 * Book changes of OKX's public channel `books` (400 levels; OKX API v5, Order book channel): first a
 * snapshot, then changes every 100 ms. A change without levels is only a heartbeat; a book without a time is
 * invalid.
 */
export function okxBooks(): Normalizer {
  return {
    kind: 'okx-books',
    filters: (symbols) => [{ channel: 'books', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { arg, action, event, data } = toFields(message);
      const { channel, instId } = toFields(arg);
      if (channel !== 'books' || event !== undefined) return;
      const isSnapshot = action === 'snapshot';
      for (const book of toFieldsList(data)) {
        const bids = parseLevelPairs(book['bids']);
        const asks = parseLevelPairs(book['asks']);
        const isHeartbeat = !isSnapshot && bids.length === 0 && asks.length === 0;
        if (isHeartbeat || Number(book['ts']) === 0) continue;
        const eventTime = eventTimeFromMs(book['ts'], localTimestamp);
        emit({ type: 'book_change', symbol: String(instId), isSnapshot, bids, asks, ...eventTime });
      }
    },
  };
}
