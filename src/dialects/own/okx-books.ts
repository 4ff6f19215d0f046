import { fieldsIn, listIn } from '../fields.js';
import type { Normalizer } from '../normalizer.js';
import { upperCase } from './symbols.js';
import { pairLevels, stampOfMs } from './values.js';

/**
 * Book changes of OKX's public channel `books` (400 levels; OKX API v5, Order book channel): a snapshot first, then
 * changes each 100 ms. A change without a level tells only that nothing happened, and a book without a time was never
 * one.
 */
export function okxBooks(): Normalizer {
  return {
    kind: 'okx-books',
    filters: (symbols) => [{ channel: 'books', ...upperCase(symbols) }],
    read(message, localTimestamp, emit) {
      const { arg, action, event, data } = fieldsIn(message);
      const { channel, instId } = fieldsIn(arg);
      if (channel !== 'books' || event !== undefined) return;
      const isSnapshot = action === 'snapshot';
      for (const book of listIn(data)) {
        const bids = pairLevels(book['bids']);
        const asks = pairLevels(book['asks']);
        const isIdle = !isSnapshot && bids.length === 0 && asks.length === 0;
        if (isIdle || Number(book['ts']) === 0) continue;
        const stamp = stampOfMs(book['ts'], localTimestamp);
        emit({ type: 'book_change', symbol: String(instId), isSnapshot, bids, asks, ...stamp });
      }
    },
  };
}
