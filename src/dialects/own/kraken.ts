import type { PriceLevel } from '../../market/messages.js';
import { type Fields, fieldsIn, listIn } from '../fields.js';
import type { Emit, Normalizer } from '../normalizer.js';
import { inCase } from './symbols.js';
import { nonZero, stampOfIso } from './values.js';

/**
 * Kraken's WebSocket API v2 (docs.kraken.com, Spot WebSocket v2: trade, book, ticker): `{channel, type, data: […]}`,
 * numbers as numbers, times with microseconds. Its symbols have small letters too (`AAPLx/USD`), so they are asked for
 * as they are written.
 */
export function krakenTrades(): Normalizer {
  return krakenNormalizer('trade', (type, item, localTimestamp, emit) => {
    // What the snapshot holds happened before the connection.
    if (type !== 'update') return;
    const { symbol, trade_id, price, qty, side, timestamp } = item;
    emit({
      type: 'trade',
      symbol: String(symbol),
      id: String(trade_id),
      price: Number(price),
      amount: Number(qty),
      side: side === 'buy' ? 'buy' : 'sell',
      ...stampOfIso(timestamp, localTimestamp),
    });
  });
}

export function krakenBooks(): Normalizer {
  return krakenNormalizer('book', (type, item, localTimestamp, emit) => {
    const { symbol, bids, asks, timestamp } = item;
    emit({
      type: 'book_change',
      symbol: String(symbol),
      isSnapshot: type === 'snapshot',
      bids: levelsOf(bids),
      asks: levelsOf(asks),
      ...stampOfIso(timestamp, localTimestamp),
    });
  });
}

export function krakenBookTickers(): Normalizer {
  return krakenNormalizer('ticker', (_, item, localTimestamp, emit) => {
    const { symbol, ask, ask_qty, bid, bid_qty, timestamp } = item;
    // A market that never had a price is stamped 1970.
    if (Date.parse(String(timestamp)) === 0) return;
    emit({
      type: 'book_ticker',
      symbol: String(symbol),
      askAmount: nonZero(ask_qty),
      askPrice: nonZero(ask),
      bidPrice: nonZero(bid),
      bidAmount: nonZero(bid_qty),
      ...stampOfIso(timestamp, localTimestamp),
    });
  });
}

type ItemReader = (type: unknown, item: Fields, localTimestamp: number, emit: Emit) => void;

function krakenNormalizer(channel: string, read: ItemReader): Normalizer {
  return {
    kind: `kraken-v2-${channel}`,
    filters: (symbols) => [{ channel, ...inCase(symbols, (symbol) => symbol) }],
    read(message, localTimestamp, emit) {
      const fields = fieldsIn(message);
      if (fields['channel'] !== channel) return;
      for (const item of listIn(fields['data'])) read(fields['type'], item, localTimestamp, emit);
    },
  };
}

function levelsOf(side: unknown): readonly PriceLevel[] {
  return listIn(side).map(({ price, qty }) => ({ price: Number(price), amount: Number(qty) }));
}
