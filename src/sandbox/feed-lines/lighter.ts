import type { PriceLevel } from '../../market/messages.js';
import type { EventOf } from '../simulation/market-event.js';
import { formatOptionalNumber, type MessageWriters, type NativeMessage, usToMs } from './message-writers.js';

/**
 * Lighter (Lighter API, WebSocket): `{type: 'subscribed/<channel>' or 'update/<channel>', channel:
 * '<channel>:<market>', …}`, numbers as text, times in milliseconds. Symbols are numbers of markets. Liquidations are
 * in the channel of trades, in a separate list. The statistics of all markets are one channel without symbols.
 */
export function createLighterWriters(): MessageWriters {
  /** The last number of each market's book. */
  const nonces = new Map<string, number>();
  let tradeId = 0;

  function tradeMessage(
    event: EventOf<'trade' | 'liquidation'>,
    list: 'trades' | 'liquidation_trades',
  ): readonly NativeMessage[] {
    const { symbol, id, price, amount, side, timestamp } = event;
    tradeId = id === undefined ? tradeId + 1 : Number(id);
    const trade = {
      trade_id: tradeId,
      trade_id_str: String(tradeId),
      type: event.type,
      market_id: Number(symbol),
      size: String(amount),
      price: String(price),
      is_maker_ask: side === 'buy',
      timestamp: usToMs(timestamp),
    };
    const lists = { trades: [], liquidation_trades: [], [list]: [trade] };
    return [createMessage('trade', 'update', event, lists)];
  }

  return {
    trade: (event) => tradeMessage(event, 'trades'),
    liquidation: (event) => tradeMessage(event, 'liquidation_trades'),
    book_change(event) {
      const { symbol, isSnapshot, asks, bids, timestamp } = event;
      const previous = nonces.get(symbol) ?? 1000;
      const nonce = isSnapshot ? previous : previous + asks.length + bids.length;
      nonces.set(symbol, nonce);
      const numbers = { nonce, begin_nonce: isSnapshot ? 0 : previous };
      const book = { code: 0, asks: asks.map(formatLevel), bids: bids.map(formatLevel), ...numbers };
      const fields = { timestamp: usToMs(timestamp), order_book: book };
      return [createMessage('order_book', isSnapshot ? 'subscribed' : 'update', event, fields)];
    },
    book_ticker(event) {
      const { symbol, askPrice, askAmount, bidPrice, bidAmount, timestamp } = event;
      const ticker = {
        s: symbol,
        a: { price: formatOptionalNumber(askPrice), size: formatOptionalNumber(askAmount) },
        b: { price: formatOptionalNumber(bidPrice), size: formatOptionalNumber(bidAmount) },
      };
      return [createMessage('ticker', 'update', event, { ticker, timestamp: usToMs(timestamp) })];
    },
    derivative_ticker(event) {
      const { symbol, localTimestamp, timestamp } = event;
      const stats = {
        symbol,
        market_id: Number(symbol),
        index_price: formatOptionalNumber(event.indexPrice),
        mark_price: formatOptionalNumber(event.markPrice),
        open_interest: formatOptionalNumber(event.openInterest),
        last_trade_price: formatOptionalNumber(event.lastPrice),
        current_funding_rate: formatOptionalNumber(event.fundingRate),
      };
      const message = {
        type: 'update/market_stats',
        channel: 'market_stats:all',
        timestamp: usToMs(timestamp),
        market_stats: { [symbol]: stats },
      };
      return [{ channel: 'market_stats', symbol: undefined, localTimestamp, message }];
    },
  };
}

function formatLevel({ price, amount }: PriceLevel): { readonly price: string; readonly size: string } {
  return { price: String(price), size: String(amount) };
}

function createMessage(
  channel: string,
  kind: 'subscribed' | 'update',
  { symbol, localTimestamp }: { readonly symbol: string; readonly localTimestamp: number },
  fields: object,
): NativeMessage {
  const message = { type: `${kind}/${channel}`, channel: `${channel}:${symbol}`, ...fields };
  return { channel, symbol, localTimestamp, message };
}
