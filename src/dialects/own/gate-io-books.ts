import { toFields } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { toUpperCaseSymbols } from './filter-symbols.js';
import { eventTimeFromMs, parseLevelPairs } from './parse-values.js';

/** `ob.BTC_USDT.400`: the pair, and the number of levels on each side. */
const STREAM = /^ob\.(.+)\.\d+$/;

/**
 * Book changes of Gate.io's spot channel `spot.obu` (Gate API v4, Order book V2): a message with `full` is
 * the whole book, all others are consecutive changes.
 */
export function gateIoBooks(): Normalizer {
  return {
    kind: 'gate-io-books',
    filters: (symbols) => [{ channel: 'obu', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { channel, event, result } = toFields(message);
      if (channel !== 'spot.obu' || event !== 'update') return;
      const { s, t, full, b, a } = toFields(result);
      const symbol = STREAM.exec(String(s))?.[1];
      if (symbol === undefined) return;
      const eventTime = eventTimeFromMs(t, localTimestamp);
      const isSnapshot = full === true;
      emit({
        type: 'book_change',
        symbol,
        isSnapshot,
        bids: parseLevelPairs(b),
        asks: parseLevelPairs(a),
        ...eventTime,
      });
    },
  };
}
