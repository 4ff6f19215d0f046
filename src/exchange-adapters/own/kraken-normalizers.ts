import type { PriceLevel } from '../../market/messages.js';
import {
  eventTimeFromIso,
  type MessageFields,
  parseNonZeroNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type EmitRecord, mapSymbols, type Normalizer } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';

/**
 * Kraken's WebSocket API v2 (docs.kraken.com, Spot WebSocket v2: trade, book, ticker): `{channel, type, data:
 * […]}`, with numbers as JSON numbers and times in microseconds. Symbols are case-sensitive (`AAPLx/USD`), so
 * filters keep their case.
 */
export function krakenTrades(): Normalizer {
  return krakenNormalizer('trade', (type, item, localTimestamp, emit) => {
    // Trades in the snapshot happened before the connection.
    if (type !== 'update') return;
    const { symbol, trade_id, price, qty, side, timestamp } = item;
    emit({
      type: 'trade',
      symbol: String(symbol),
      id: String(trade_id),
      price: Number(price),
      amount: Number(qty),
      side: side === 'buy' ? 'buy' : 'sell',
      ...eventTimeFromIso(timestamp, localTimestamp),
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
      bids: parseKrakenLevels(bids),
      asks: parseKrakenLevels(asks),
      ...eventTimeFromIso(timestamp, localTimestamp),
    });
  });
}

export function krakenBookTickers(): Normalizer {
  return krakenNormalizer('ticker', (_, item, localTimestamp, emit) => {
    const { symbol, ask, ask_qty, bid, bid_qty, timestamp } = item;
    // A market that has never had a price has a time in 1970.
    if (Date.parse(String(timestamp)) === 0) return;
    const time = eventTimeFromIso(timestamp, localTimestamp);
    emit(createBookTicker(String(symbol), [ask, ask_qty], [bid, bid_qty], time, parseNonZeroNumber));
  });
}

type ItemReader = (type: unknown, item: MessageFields, localTimestamp: number, emit: EmitRecord) => void;

function krakenNormalizer(channel: string, read: ItemReader): Normalizer {
  return {
    kind: `kraken-v2-${channel}`,
    filters: (symbols) => [{ channel, ...mapSymbols(symbols, (symbol) => symbol) }],
    read(message, localTimestamp, emit) {
      const fields = toFields(message);
      if (fields['channel'] !== channel) return;
      for (const item of toFieldsList(fields['data'])) read(fields['type'], item, localTimestamp, emit);
    },
  };
}

function parseKrakenLevels(side: unknown): readonly PriceLevel[] {
  return toFieldsList(side).map(({ price, qty }) => ({ price: Number(price), amount: Number(qty) }));
}
