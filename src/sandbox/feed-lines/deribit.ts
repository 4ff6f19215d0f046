import type { PriceLevel } from '../../market/messages.js';
import type { EventOf } from '../simulation/market-event.js';
import { type MessageWriters, type NativeMessage, usToMs } from './message-writers.js';

/**
 * Deribit (docs.deribit.com, Subscriptions, raw): JSON-RPC notifications, numbers as numbers, times in milliseconds. A
 * liquidation is a trade with a flag. The channel `ticker` is used for perpetuals, option summaries and best prices:
 * each message repeats all known values of the symbol. Every trade has an id.
 */
export function createDeribitWriters(): MessageWriters {
  let changeId = 0;
  let tradeSeq = 0;
  /** Prices of existing levels, by symbol and side. */
  const books = new Map<string, Set<number>>();
  const tickers = new Map<string, object>();

  function writeLevels(event: EventOf<'book_change'>, side: 'bids' | 'asks'): readonly unknown[] {
    const key = `${event.symbol} ${side}`;
    const prices = event.isSnapshot ? new Set<number>() : (books.get(key) ?? new Set<number>());
    books.set(key, prices);
    return event[side].map(({ price, amount }: PriceLevel) => {
      const action = amount === 0 ? 'delete' : prices.has(price) ? 'change' : 'new';
      if (amount === 0) prices.delete(price);
      else prices.add(price);
      return [action, price, amount];
    });
  }

  function tradeMessage(event: EventOf<'trade' | 'liquidation'>, extra: object): readonly NativeMessage[] {
    const { symbol, id, price, amount, side, timestamp } = event;
    tradeSeq++;
    const data = {
      trade_seq: tradeSeq,
      trade_id: id ?? String(event.localTimestamp),
      timestamp: usToMs(timestamp),
      price,
      instrument_name: symbol,
      direction: side,
      amount,
      ...extra,
    };
    return [createNotification('trades', event, [data])];
  }

  function tickerMessage(
    event: EventOf<'derivative_ticker' | 'option_summary' | 'book_ticker'>,
    changedValues: object,
  ): readonly NativeMessage[] {
    const values = { ...tickers.get(event.symbol), ...changedValues };
    tickers.set(event.symbol, values);
    const data = {
      timestamp: usToMs(event.timestamp),
      state: 'open',
      instrument_name: event.symbol,
      ...values,
    };
    return [createNotification('ticker', event, data)];
  }

  return {
    trade: (event) => tradeMessage(event, {}),
    liquidation: (event) => tradeMessage(event, { liquidation: 'T' }),
    book_change(event) {
      const previous = changeId++;
      const data = {
        type: event.isSnapshot ? 'snapshot' : 'change',
        timestamp: usToMs(event.timestamp),
        ...(event.isSnapshot ? {} : { prev_change_id: previous }),
        instrument_name: event.symbol,
        change_id: changeId,
        bids: writeLevels(event, 'bids'),
        asks: writeLevels(event, 'asks'),
      };
      return [createNotification('book', event, data)];
    },
    derivative_ticker: (event) =>
      tickerMessage(event, {
        current_funding: event.fundingRate,
        index_price: event.indexPrice,
        mark_price: event.markPrice,
        open_interest: event.openInterest,
        last_price: event.lastPrice,
      }),
    book_ticker: (event) =>
      tickerMessage(event, {
        best_bid_price: event.bidPrice,
        best_bid_amount: event.bidAmount,
        best_ask_price: event.askPrice,
        best_ask_amount: event.askAmount,
      }),
    option_summary(event) {
      const { delta, gamma, vega, theta, rho } = event;
      return tickerMessage(event, {
        best_bid_price: event.bestBidPrice,
        best_bid_amount: event.bestBidAmount,
        bid_iv: event.bestBidIV,
        best_ask_price: event.bestAskPrice,
        best_ask_amount: event.bestAskAmount,
        ask_iv: event.bestAskIV,
        last_price: event.lastPrice,
        open_interest: event.openInterest,
        mark_price: event.markPrice,
        mark_iv: event.markIV,
        greeks: { delta, gamma, vega, theta, rho },
        underlying_price: event.underlyingPrice,
        underlying_index: event.underlyingIndex,
      });
    },
  };
}

function createNotification(
  channel: string,
  { symbol, localTimestamp }: { readonly symbol: string; readonly localTimestamp: number },
  data: object,
): NativeMessage {
  const params = { channel: `${channel}.${symbol}.raw`, data };
  return { channel, symbol, localTimestamp, message: { jsonrpc: '2.0', method: 'subscription', params } };
}
