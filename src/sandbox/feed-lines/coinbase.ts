import type { PriceLevel } from '../../market/messages.js';
import {
  formatIsoUs,
  formatLevels,
  formatOptionalNumber,
  type MessageWriters,
  type NativeMessage,
} from './message-writers.js';

/**
 * Coinbase Exchange (docs.cdp.coinbase.com, Exchange WebSocket channels: matches, level2, ticker): flat messages with a
 * type, numbers as text, times with microseconds. The side of a match is that of the maker. Trade ids are numbers, and
 * sides are always known.
 */
export function createCoinbaseWriters(): MessageWriters {
  let sequence = 0;
  let tradeId = 0;
  return {
    trade(event) {
      sequence++;
      tradeId = event.id === undefined ? tradeId + 1 : Number(event.id);
      const price = String(event.price);
      const size = String(event.amount);
      const side = event.side === 'buy' ? 'sell' : 'buy';
      return [createFlatMessage('match', event, { trade_id: tradeId, side, size, price, sequence })];
    },
    book_change(event) {
      const { bids, asks } = event;
      if (event.isSnapshot) {
        return [createFlatMessage('snapshot', event, { asks: formatLevels(asks), bids: formatLevels(bids) })];
      }
      const changes = (side: string, levels: readonly PriceLevel[]): readonly (readonly string[])[] =>
        formatLevels(levels).map(([price, amount]) => [side, price, amount]);
      return [
        createFlatMessage('l2update', event, {
          changes: [...changes('buy', bids), ...changes('sell', asks)],
        }),
      ];
    },
    book_ticker(event) {
      sequence++;
      const bid = {
        best_bid: formatOptionalNumber(event.bidPrice),
        best_bid_size: formatOptionalNumber(event.bidAmount),
      };
      const ask = {
        best_ask: formatOptionalNumber(event.askPrice),
        best_ask_size: formatOptionalNumber(event.askAmount),
      };
      return [createFlatMessage('ticker', event, { sequence, ...bid, ...ask })];
    },
  };
}

function createFlatMessage(
  type: string,
  event: { readonly symbol: string; readonly timestamp: number; readonly localTimestamp: number },
  fields: object,
): NativeMessage {
  const { symbol, timestamp, localTimestamp } = event;
  const message = { type, ...fields, product_id: symbol, time: formatIsoUs(timestamp) };
  return { channel: type, symbol, localTimestamp, message };
}
