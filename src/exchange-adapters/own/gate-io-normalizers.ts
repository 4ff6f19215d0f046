import type { PriceLevel } from '../../market/messages.js';
import {
  type EventTime,
  eventTimeFromMs,
  type MessageFields,
  parseLevelPairs,
  parseNonZeroNumber,
  parseOptionalNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type Normalizer, toUpperCaseSymbols } from '../normalizer.js';

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

/**
 * Books of Gate.io's futures (Gate API v4, Futures WebSocket, Legacy order book): `all` is the whole book,
 * `update` changes whose sign is their side. Sizes are numbers, since 2026 text.
 */
export function gateIoFuturesBooks(): Normalizer {
  return {
    kind: 'gate-io-futures-books',
    filters: (symbols) => [{ channel: 'order_book', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { channel, event, result, time, time_ms } = toFields(message);
      if (channel !== 'futures.order_book') return;
      const eventTime = (ms: unknown): EventTime =>
        eventTimeFromMs(ms ?? Number(time) * 1000, localTimestamp);
      if (event === 'all') {
        const { t, contract, bids, asks } = toFields(result);
        // Before the exchange has a book, it sends an empty one without a time.
        if (t === 0) return;
        emit({
          type: 'book_change',
          symbol: String(contract),
          isSnapshot: true,
          bids: toFieldsList(bids).map(parseLevel),
          asks: toFieldsList(asks).map(parseLevel),
          ...eventTime(time_ms ?? t),
        });
      } else if (event === 'update') {
        const changes = toFieldsList(result);
        const [first] = changes;
        if (first === undefined) return;
        // The side of a removed level, of size 0, is unknown.
        emit({
          type: 'book_change',
          symbol: String(first['c']),
          isSnapshot: false,
          bids: changes.filter(({ s }) => Number(s) >= 0).map(parseLevel),
          asks: changes.filter(({ s }) => Number(s) <= 0).map(parseLevel),
          ...eventTime(first['t']),
        });
      }
    },
  };
}

function parseLevel({ p, s }: MessageFields): PriceLevel {
  return { price: Number(p), amount: Math.abs(Number(s)) };
}

/** A side without orders has size 0, and an empty price. */
export function gateIoFuturesBookTickers(): Normalizer {
  return {
    kind: 'gate-io-futures-book-tickers',
    filters: (symbols) => [{ channel: 'book_ticker', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { channel, event, result } = toFields(message);
      if (channel !== 'futures.book_ticker' || event !== 'update') return;
      const { s, t, a, A, b, B } = toFields(result);
      if (t === 0) return;
      emit({
        type: 'book_ticker',
        symbol: String(s),
        askAmount: parseNonZeroNumber(A),
        askPrice: parseOptionalNumber(a),
        bidPrice: parseOptionalNumber(b),
        bidAmount: parseNonZeroNumber(B),
        ...eventTimeFromMs(t, localTimestamp),
      });
    },
  };
}
