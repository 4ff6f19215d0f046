import type { EventOf } from '../simulation/market-event.js';
import {
  formatLevels,
  formatOptionalNumber,
  type MessageWriters,
  type NativeMessage,
  usToMs,
} from './message-writers.js';

/** Last values of a symbol's ticker streams, to detect which of them changed. */
interface TickerState {
  readonly markKey: string;
  readonly last: number | undefined;
  readonly interest: number | undefined;
}

/**
 * Binance USDⓈ-M futures (Binance, USDⓈ-M Futures WebSocket market streams, combined): `{stream, data}`. The collector
 * generates the snapshot of a book itself, once per connection, and polls open interest, whose messages have no time
 * that normalized messages use. Trade ids are numbers, sides are always known, times are whole milliseconds.
 */
export function createBinanceFuturesWriters(): MessageWriters {
  let tradeId = 0;
  let updateId = 1000;
  const tickers = new Map<string, TickerState>();

  function bookChange(event: EventOf<'book_change'>): readonly NativeMessage[] {
    const { symbol, timestamp, bids, asks } = event;
    const time = usToMs(timestamp);
    const previousId = updateId;
    if (event.isSnapshot) {
      const data = {
        lastUpdateId: previousId,
        E: time,
        T: time,
        bids: formatLevels(bids),
        asks: formatLevels(asks),
      };
      return [createStreamMessage('depthSnapshot', '', event, data, { generated: true })];
    }
    updateId += 1 + bids.length + asks.length;
    const ids = { U: previousId, u: updateId, pu: previousId };
    const levels = { b: formatLevels(bids), a: formatLevels(asks) };
    const data = { e: 'depthUpdate', E: time, T: time, s: symbol, ...ids, ...levels };
    return [createStreamMessage('depth', '@0ms', event, data)];
  }

  function derivativeTicker(event: EventOf<'derivative_ticker'>): readonly NativeMessage[] {
    const { symbol, markPrice, indexPrice, fundingRate, fundingTimestamp, lastPrice, openInterest } = event;
    const previous = tickers.get(symbol);
    const markKey = JSON.stringify([markPrice, indexPrice, fundingRate, fundingTimestamp]);
    tickers.set(symbol, { markKey, last: lastPrice, interest: openInterest });
    const E = usToMs(event.timestamp);
    const messages: NativeMessage[] = [];
    if (markPrice !== undefined && markKey !== previous?.markKey) {
      const next = fundingTimestamp === undefined ? 0 : usToMs(fundingTimestamp);
      const prices = { p: String(markPrice), i: formatOptionalNumber(indexPrice) };
      const data = {
        e: 'markPriceUpdate',
        E,
        s: symbol,
        ...prices,
        r: formatOptionalNumber(fundingRate) ?? '',
        T: next,
      };
      messages.push(createStreamMessage('markPrice', '@1s', event, data));
    }
    if (lastPrice !== undefined && lastPrice !== previous?.last) {
      messages.push(
        createStreamMessage('ticker', '', event, { e: '24hrTicker', E, s: symbol, c: String(lastPrice) }),
      );
    }
    if (openInterest !== undefined && openInterest !== previous?.interest) {
      const data = { openInterest: String(openInterest), symbol, time: E };
      messages.push(createStreamMessage('openInterest', '', event, data, { generated: true }));
    }
    return messages;
  }

  return {
    book_change: bookChange,
    derivative_ticker: derivativeTicker,
    trade(event) {
      const { symbol, id, price, amount, side, timestamp } = event;
      tradeId = id === undefined ? tradeId + 1 : Number(id);
      const time = usToMs(timestamp);
      const fields = { t: tradeId, p: String(price), q: String(amount), X: 'MARKET', m: side === 'sell' };
      return [
        createStreamMessage('trade', '', event, { e: 'trade', E: time, T: time, s: symbol, ...fields }),
      ];
    },
    liquidation(event) {
      const time = usToMs(event.timestamp);
      const price = String(event.price);
      const amount = String(event.amount);
      const order = {
        s: event.symbol,
        S: event.side === 'sell' ? 'SELL' : 'BUY',
        o: 'LIMIT',
        f: 'IOC',
        q: amount,
        p: price,
        ap: price,
        X: 'FILLED',
        l: amount,
        z: amount,
        T: time,
      };
      return [createStreamMessage('forceOrder', '', event, { e: 'forceOrder', E: time, o: order })];
    },
    book_ticker(event) {
      const time = usToMs(event.timestamp);
      const bid = { b: formatOptionalNumber(event.bidPrice), B: formatOptionalNumber(event.bidAmount) };
      const ask = { a: formatOptionalNumber(event.askPrice), A: formatOptionalNumber(event.askAmount) };
      const data = { e: 'bookTicker', u: updateId, s: event.symbol, ...bid, ...ask, T: time, E: time };
      return [createStreamMessage('bookTicker', '', event, data)];
    },
  };
}

function createStreamMessage(
  channel: string,
  speed: string,
  event: { readonly symbol: string; readonly localTimestamp: number },
  data: object,
  extra: object = {},
): NativeMessage {
  const symbol = event.symbol.toLowerCase();
  const message = { stream: `${symbol}@${channel}${speed}`, ...extra, data };
  return { channel, symbol, localTimestamp: event.localTimestamp, message };
}
