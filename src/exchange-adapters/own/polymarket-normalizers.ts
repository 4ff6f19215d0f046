import type { PriceLevel } from '../../market/messages.js';
import {
  eventTimeFromMs,
  type MessageFields,
  parseNonZeroNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type EmitRecord, mapSymbols, type Normalizer, UnknownFormError } from '../normalizer.js';

/**
 * Polymarket (docs.polymarket.com, Market channel): objects with an `event_type`, or lists of them, with
 * numbers and times in milliseconds as text. Symbols are the ids of tokens, numbers of up to 78 digits.
 */
export function polymarketTrades(): Normalizer {
  return polymarketNormalizer('trades', ['last_trade_price'], (event, localTimestamp, emit) => {
    const { asset_id, transaction_hash, price, size, side, timestamp } = event;
    emit({
      type: 'trade',
      symbol: String(asset_id),
      id: transaction_hash === undefined ? undefined : String(transaction_hash),
      price: Number(price),
      amount: Number(size),
      side: side === 'BUY' ? 'buy' : side === 'SELL' ? 'sell' : 'unknown',
      ...eventTimeFromMs(timestamp, localTimestamp),
    });
  });
}

/**
 * `book` is a whole book, sent at first and after each trade. `price_change` has new amounts of levels of one
 * or several tokens. Neither is numbered, so a lost message can only be mended by the next whole book.
 */
export function polymarketBooks(): Normalizer {
  return polymarketNormalizer('books', ['book', 'price_change'], (event, localTimestamp, emit) => {
    const { event_type, timestamp } = event;
    const eventTime = eventTimeFromMs(timestamp, localTimestamp);
    if (event_type === 'book') {
      const { asset_id, bids, asks } = event;
      emit({
        type: 'book_change',
        symbol: String(asset_id),
        isSnapshot: true,
        bids: toFieldsList(bids).map(parseLevel),
        asks: toFieldsList(asks).map(parseLevel),
        ...eventTime,
      });
      return;
    }
    for (const change of toFieldsList(event['price_changes'])) {
      const { asset_id, side } = change;
      if (side !== 'BUY' && side !== 'SELL') throw new UnknownFormError('price_change');
      const levels = [parseLevel(change)];
      emit({
        type: 'book_change',
        symbol: String(asset_id),
        isSnapshot: false,
        bids: side === 'BUY' ? levels : [],
        asks: side === 'SELL' ? levels : [],
        ...eventTime,
      });
    }
  });
}

/** The exchange sends the best prices without their amounts. */
export function polymarketBookTickers(): Normalizer {
  return polymarketNormalizer('book-tickers', ['best_bid_ask'], (event, localTimestamp, emit) => {
    const { asset_id, best_bid, best_ask, timestamp } = event;
    emit({
      type: 'book_ticker',
      symbol: String(asset_id),
      bidPrice: parseNonZeroNumber(best_bid),
      askPrice: parseNonZeroNumber(best_ask),
      ...eventTimeFromMs(timestamp, localTimestamp),
    });
  });
}

/** A connection sends the events of all channels, whichever are needed. */
const EVENT_TYPES: ReadonlySet<unknown> = new Set([
  'book',
  'price_change',
  'last_trade_price',
  'best_bid_ask',
  'tick_size_change',
  'new_market',
  'market_resolved',
]);

/** @param channels the `event_type`s, which are also the names of channels in the feed. */
function polymarketNormalizer(
  kind: string,
  channels: readonly string[],
  read: (event: MessageFields, localTimestamp: number, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `polymarket-${kind}`,
    filters: (symbols) => channels.map((channel) => ({ channel, ...mapSymbols(symbols, String) })),
    handles: (message) => toEvents(message).every(({ event_type }) => EVENT_TYPES.has(event_type)),
    read(message, localTimestamp, emit) {
      for (const event of toEvents(message))
        if (channels.includes(String(event['event_type']))) read(event, localTimestamp, emit);
    },
  };
}

function toEvents(message: unknown): readonly MessageFields[] {
  return Array.isArray(message) ? toFieldsList(message) : [toFields(message)];
}

function parseLevel({ price, size }: MessageFields): PriceLevel {
  return { price: Number(price), amount: Number(size) };
}
