import type { FeedFilter } from '../../service/feed-filter.js';
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
import { type EmitRecord, type Normalizer, toUpperCaseSymbols } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';
import { LastTickers } from './last-ticker.js';

/**
 * Bitget's WebSocket API v3 (Bitget unified trading account, Public channels): `{action, arg: {instType,
 * topic, symbol}, data: […], ts}`, with numbers as text and times in milliseconds.
 */
export function bitgetTrades(): Normalizer {
  return bitgetNormalizer('publicTrade', ({ action, symbol, item, toEventTime }, emit) => {
    // Trades in the snapshot happened before the connection.
    if (action !== 'update') return;
    const { i, p, v, S, T } = item;
    emit({
      type: 'trade',
      symbol,
      id: String(i),
      price: Number(p),
      amount: Number(v),
      side: S === 'buy' ? 'buy' : 'sell',
      ...toEventTime(T),
    });
  });
}

export function bitgetBooks(): Normalizer {
  return bitgetNormalizer('books', ({ action, symbol, item, toEventTime }, emit) => {
    const { a, b, ts } = item;
    emit({
      type: 'book_change',
      symbol,
      isSnapshot: action === 'snapshot',
      bids: parseLevelPairs(b),
      asks: parseLevelPairs(a),
      ...toEventTime(ts),
    });
  });
}

/** `books1` always sends the best level of each side, as a snapshot. */
export function bitgetBookTickers(): Normalizer {
  return bitgetNormalizer('books1', ({ action, symbol, item, toEventTime }, emit) => {
    if (action !== 'snapshot') return;
    const [ask] = parseLevelPairs(item['a']);
    const [bid] = parseLevelPairs(item['b']);
    const time = toEventTime(item['ts']);
    emit(
      createBookTicker(
        symbol,
        [ask?.price, ask?.amount],
        [bid?.price, bid?.amount],
        time,
        parseNonZeroNumber,
      ),
    );
  });
}

export function bitgetDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  return bitgetNormalizer('ticker', ({ symbol, item, ts, toEventTime }, emit) => {
    // Delivery contracts have no funding: `nextFundingTime` is 0 or empty.
    const next = parseNonZeroNumber(item['nextFundingTime']);
    const record = tickers.get(symbol).update(
      {
        lastPrice: parseOptionalNumber(item['lastPrice']),
        openInterest: parseOptionalNumber(item['openInterest']),
        fundingRate: next === undefined ? undefined : parseOptionalNumber(item['fundingRate']),
        fundingTimestamp: next === undefined ? undefined : next * 1000,
        indexPrice: parseOptionalNumber(item['indexPrice']),
        markPrice: parseOptionalNumber(item['markPrice']),
      },
      toEventTime(ts),
    );
    if (record) emit(record);
  });
}

/**
 * The channel has all symbols of a product. `side` is that of the liquidated position, so the order has the
 * other side.
 */
export function bitgetLiquidations(): Normalizer {
  const normalizer = bitgetNormalizer('liquidation', ({ action, item, toEventTime }, emit) => {
    if (action !== 'update') return;
    const { symbol, side, price, amount, ts } = item;
    emit({
      type: 'liquidation',
      symbol: String(symbol),
      price: Number(price),
      amount: Number(amount),
      side: side === 'buy' ? 'sell' : 'buy',
      ...toEventTime(ts),
    });
  });
  return { ...normalizer, filters: (): readonly FeedFilter[] => [{ channel: 'liquidation' }] };
}

interface BitgetItem {
  readonly action: unknown;
  readonly symbol: string;
  readonly item: MessageFields;
  /** Time of the message. */
  readonly ts: unknown;
  readonly toEventTime: (ms: unknown) => EventTime;
}

function bitgetNormalizer(topic: string, read: (item: BitgetItem, emit: EmitRecord) => void): Normalizer {
  return {
    kind: `bitget-v3-${topic}`,
    filters: (symbols) => [{ channel: topic, ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { action, arg, data, ts } = toFields(message);
      if (action !== 'snapshot' && action !== 'update') return;
      const { topic: messageTopic, symbol } = toFields(arg);
      if (messageTopic !== topic) return;
      const toEventTime = (ms: unknown): EventTime => eventTimeFromMs(ms, localTimestamp);
      for (const item of toFieldsList(data))
        read({ action, symbol: String(symbol), item, ts, toEventTime }, emit);
    },
  };
}
