import type { Filter } from '../../service/feed-filter.js';
import { type Fields, fieldsIn, listIn } from '../fields.js';
import type { Emit, Normalizer } from '../normalizer.js';
import { LastTicker } from './last-ticker.js';
import { upperCase } from './symbols.js';
import { nonZero, numberOf, pairLevels, type Stamp, stampOfMs } from './values.js';

/**
 * Bitget's WebSocket API v3 (Bitget unified trading account, Public channels): `{action, arg: {instType, topic, symbol},
 * data: […], ts}`, numbers as text, times in milliseconds.
 */
export function bitgetTrades(): Normalizer {
  return bitgetNormalizer('publicTrade', ({ action, symbol, item, stampOf }, emit) => {
    // What the snapshot holds happened before the connection.
    if (action !== 'update') return;
    const { i, p, v, S, T } = item;
    emit({
      type: 'trade',
      symbol,
      id: String(i),
      price: Number(p),
      amount: Number(v),
      side: S === 'buy' ? 'buy' : 'sell',
      ...stampOf(T),
    });
  });
}

export function bitgetBooks(): Normalizer {
  return bitgetNormalizer('books', ({ action, symbol, item, stampOf }, emit) => {
    const { a, b, ts } = item;
    emit({
      type: 'book_change',
      symbol,
      isSnapshot: action === 'snapshot',
      bids: pairLevels(b),
      asks: pairLevels(a),
      ...stampOf(ts),
    });
  });
}

/** `books1` always sends the best level of each side, as a snapshot. */
export function bitgetBookTickers(): Normalizer {
  return bitgetNormalizer('books1', ({ action, symbol, item, stampOf }, emit) => {
    if (action !== 'snapshot') return;
    const [ask] = pairLevels(item['a']);
    const [bid] = pairLevels(item['b']);
    emit({
      type: 'book_ticker',
      symbol,
      askAmount: nonZero(ask?.amount),
      askPrice: nonZero(ask?.price),
      bidPrice: nonZero(bid?.price),
      bidAmount: nonZero(bid?.amount),
      ...stampOf(item['ts']),
    });
  });
}

export function bitgetDerivativeTickers(): Normalizer {
  const tickers = new Map<string, LastTicker>();
  return bitgetNormalizer('ticker', ({ symbol, item, ts, stampOf }, emit) => {
    const ticker = tickers.get(symbol) ?? new LastTicker(symbol);
    tickers.set(symbol, ticker);
    // Delivery contracts have no funding: the time of the next is 0, or empty.
    const next = nonZero(item['nextFundingTime']);
    const record = ticker.update(
      {
        lastPrice: numberOf(item['lastPrice']),
        openInterest: numberOf(item['openInterest']),
        fundingRate: next === undefined ? undefined : numberOf(item['fundingRate']),
        fundingTimestamp: next === undefined ? undefined : next * 1000,
        indexPrice: numberOf(item['indexPrice']),
        markPrice: numberOf(item['markPrice']),
      },
      stampOf(ts),
    );
    if (record) emit(record);
  });
}

/** The channel has all symbols of a product; `side` is that of the position, which the liquidation is against. */
export function bitgetLiquidations(): Normalizer {
  const normalizer = bitgetNormalizer('liquidation', ({ action, item, stampOf }, emit) => {
    if (action !== 'update') return;
    const { symbol, side, price, amount, ts } = item;
    emit({
      type: 'liquidation',
      symbol: String(symbol),
      price: Number(price),
      amount: Number(amount),
      side: side === 'buy' ? 'sell' : 'buy',
      ...stampOf(ts),
    });
  });
  return { ...normalizer, filters: (): readonly Filter[] => [{ channel: 'liquidation' }] };
}

interface Item {
  readonly action: unknown;
  readonly symbol: string;
  readonly item: Fields;
  /** Of the message. */
  readonly ts: unknown;
  readonly stampOf: (ms: unknown) => Stamp;
}

function bitgetNormalizer(topic: string, read: (item: Item, emit: Emit) => void): Normalizer {
  return {
    kind: `bitget-v3-${topic}`,
    filters: (symbols) => [{ channel: topic, ...upperCase(symbols) }],
    read(message, localTimestamp, emit) {
      const { action, arg, data, ts } = fieldsIn(message);
      if (action !== 'snapshot' && action !== 'update') return;
      const { topic: of, symbol } = fieldsIn(arg);
      if (of !== topic) return;
      const stampOf = (ms: unknown): Stamp => stampOfMs(ms, localTimestamp);
      for (const item of listIn(data)) read({ action, symbol: String(symbol), item, ts, stampOf }, emit);
    },
  };
}
