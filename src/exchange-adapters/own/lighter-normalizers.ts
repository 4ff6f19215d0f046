import type { PriceLevel } from '../../market/messages.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import {
  eventTimeFromMs,
  isMessageFields,
  type MessageFields,
  parseNonZeroNumber,
  parseOptionalNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { readLighterTradeText } from '../message-text/trade-text.js';
import { type EmitRecord, mapSymbols, type Normalizer, UnknownFormError } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';
import { LastTickers } from './last-ticker.js';
import { BookSequence } from './numbered-books.js';

/**
 * Lighter (Lighter API, WebSocket): `{type: 'subscribed/<channel>' or 'update/<channel>', channel:
 * '<channel>:<market>', …}`, with numbers as text and times in milliseconds. Symbols are the numbers of
 * markets. The first message of a subscription repeats what happened before it, except for books.
 */
export function lighterTrades(): Normalizer {
  const normalizer = lighterNormalizer('trade', 'trades', (kind, { trades }, localTimestamp, emit) => {
    if (kind !== 'update') return;
    for (const trade of toList(trades, 'trade'))
      emit({ type: 'trade', ...readTrade(trade), ...eventTimeFromMs(trade['timestamp'], localTimestamp) });
  });
  return { ...normalizer, readText: readLighterTradeText };
}

/** The list has deleveraged and settled positions too, which are no liquidations. */
export function lighterLiquidations(): Normalizer {
  return lighterNormalizer('trade', 'liquidations', (kind, { liquidation_trades }, localTimestamp, emit) => {
    if (kind !== 'update') return;
    for (const trade of toList(liquidation_trades, 'trade')) {
      if (trade['type'] !== 'liquidation') continue;
      const eventTime = eventTimeFromMs(trade['timestamp'], localTimestamp);
      emit({ type: 'liquidation', ...readTrade(trade), ...eventTime });
    }
  });
}

/**
 * An update is for the numbers after `begin_nonce` up to `nonce`. The exchange documents that `begin_nonce` is
 * the `nonce` of the message before.
 */
export function lighterBooks(isLive = false): Normalizer {
  const sequence = new BookSequence('lighter', isLive);
  return lighterNormalizer('order_book', 'books', (kind, message, localTimestamp, emit) => {
    const symbol = readMarket(message);
    if (symbol === undefined) return;
    if (!isMessageFields(message['order_book'])) throw new UnknownFormError('order_book');
    const { bids, asks, nonce, begin_nonce } = message['order_book'];
    const isSnapshot = kind === 'subscribed';
    if (isSnapshot) sequence.restart(symbol, readNonce(nonce));
    else if (!sequence.accepts(symbol, readNonce(begin_nonce) + 1, readNonce(nonce))) return;
    emit({
      type: 'book_change',
      symbol,
      isSnapshot,
      bids: parseLevels(bids),
      asks: parseLevels(asks),
      ...eventTimeFromMs(message['timestamp'], localTimestamp),
    });
  });
}

export function lighterBookTickers(): Normalizer {
  return lighterNormalizer('ticker', 'book-tickers', (kind, message, localTimestamp, emit) => {
    const symbol = readMarket(message);
    if (kind !== 'update' || symbol === undefined) return;
    if (!isMessageFields(message['ticker'])) throw new UnknownFormError('ticker');
    const { a, b } = message['ticker'];
    const { price: askPrice, size: askSize } = toFields(a);
    const { price: bidPrice, size: bidSize } = toFields(b);
    const time = eventTimeFromMs(message['timestamp'], localTimestamp);
    emit(createBookTicker(symbol, [askPrice, askSize], [bidPrice, bidSize], time, parseNonZeroNumber));
  });
}

/** The collector records the statistics of all markets in one channel without symbols. */
export function lighterDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  const normalizer = lighterNormalizer('market_stats', 'tickers', (kind, message, localTimestamp, emit) => {
    if (kind !== 'update') return;
    const { market_stats, timestamp } = message;
    if (!isMessageFields(market_stats)) throw new UnknownFormError('market_stats');
    const isAll = readMarket(message) === undefined;
    for (const market of isAll ? toFieldsList(Object.values(market_stats)) : [market_stats]) {
      const symbol = String(market['market_id']);
      const record = tickers.get(symbol).update(
        {
          lastPrice: parseOptionalNumber(market['last_trade_price']),
          openInterest: parseOptionalNumber(market['open_interest']),
          fundingRate: parseOptionalNumber(market['current_funding_rate']),
          indexPrice: parseOptionalNumber(market['index_price']),
          markPrice: parseOptionalNumber(market['mark_price']),
        },
        eventTimeFromMs(timestamp, localTimestamp),
      );
      if (record) emit(record);
    }
  });
  return { ...normalizer, filters: (): readonly FeedFilter[] => [{ channel: 'market_stats' }] };
}

/** @param read reads a message of the channel, by the beginning of its type. */
function lighterNormalizer(
  channel: string,
  name: string,
  read: (
    kind: 'subscribed' | 'update',
    message: MessageFields,
    localTimestamp: number,
    emit: EmitRecord,
  ) => void,
): Normalizer {
  const update = `update/${channel}`;
  const subscribed = `subscribed/${channel}`;
  const unsubscribed = `unsubscribed/${channel}`;
  const prefix = `${channel}:`;
  return {
    kind: `lighter-${name}`,
    filters: (symbols) => [{ channel, ...mapSymbols(symbols, String) }],
    read(message, localTimestamp, emit) {
      const fields = toFields(message);
      const { type } = fields;
      if (type === update) read('update', fields, localTimestamp, emit);
      else if (type === subscribed) read('subscribed', fields, localTimestamp, emit);
      else if (type !== unsubscribed && String(fields['channel']).startsWith(prefix))
        throw new UnknownFormError(channel);
    },
  };
}

function readTrade(trade: MessageFields): {
  readonly symbol: string;
  readonly id: string;
  readonly price: number;
  readonly amount: number;
  readonly side: 'buy' | 'sell' | 'unknown';
} {
  const { market_id, trade_id, trade_id_str, price, size, is_maker_ask } = trade;
  const taker = is_maker_ask === true ? 'buy' : 'sell';
  return {
    symbol: String(market_id),
    id: String(trade_id_str ?? trade_id),
    price: Number(price),
    amount: Number(size),
    side: typeof is_maker_ask === 'boolean' ? taker : 'unknown',
  };
}

/** The market in `order_book:1`; undefined for all markets, `order_book:all`. */
function readMarket({ channel }: MessageFields): string | undefined {
  const [, market] = String(channel).split(':');
  return market === 'all' ? undefined : market;
}

function readNonce(value: unknown): number {
  return parseOptionalNumber(value) ?? Number.NaN;
}

/** The objects of a list, which may be missing or null if it is empty. */
function toList(value: unknown, channel: string): readonly MessageFields[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) throw new UnknownFormError(channel);
  return toFieldsList(value);
}

/** A plain loop, since books are most of a feed. */
function parseLevels(side: unknown): readonly PriceLevel[] {
  const levels = toList(side, 'order_book');
  const parsed = new Array<PriceLevel>(levels.length);
  for (let i = 0; i < levels.length; i++) {
    const { price, size } = levels[i] as MessageFields;
    parsed[i] = { price: Number(price), amount: Number(size) };
  }
  return parsed;
}
