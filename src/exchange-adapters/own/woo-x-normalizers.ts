// Channels of the exchange: cspell:ignore woox orderbookupdate estfundingrate openinterest indexprice

import type { BookChangeRecord } from '../../market/message-record.js';
import type { PriceLevel } from '../../market/messages.js';
import { eventTimeFromMs, type MessageFields, parseOptionalNumber, toFields } from '../message-fields.js';
import { type EmitRecord, mapToUniqueSymbols, type Normalizer, toUpperCaseSymbols } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';
import { LastTickers } from './last-ticker.js';

/**
 * WOO X's WebSocket API v3 (docs.woox.io, Public WebSocket v3): `{topic: "<channel>@<symbol>", ts, data}`, with
 * numbers as text and times in milliseconds. Trades with source 0 happened elsewhere.
 */
export function wooXTrades(): Normalizer {
  return wooXNormalizer('trade', ({ s, px, sx, sd, src, ts }, localTimestamp, emit) => {
    if (src === 0) return;
    emit({
      type: 'trade',
      symbol: String(s),
      price: Number(px),
      amount: Number(sx),
      side: sd === 'SELL' ? 'sell' : 'buy',
      ...eventTimeFromMs(ts, localTimestamp),
    });
  });
}

export function wooXBookTickers(): Normalizer {
  return wooXNormalizer('bbo', ({ s, ap, aq, bp, bq, ts }, localTimestamp, emit) => {
    emit(createBookTicker(String(s), [ap, aq], [bp, bq], eventTimeFromMs(ts, localTimestamp)));
  });
}

/** Changes of a symbol that can wait for its snapshot; older ones are dropped. */
const MAX_WAITING_CHANGES = 2000;

interface WooXBook {
  /** Time of the snapshot; undefined before it. */
  snapshotMs?: number;
  waiting: MessageFields[];
}

/**
 * Changes arrive over the connection, each with the time of the change before it (`prevTs`). A snapshot is
 * requested over HTTP and recorded as `generated`. Changes from before it are in it already.
 */
export function wooXBooks(): Normalizer {
  const books = new Map<string, WooXBook>();
  const bookOf = (symbol: string): WooXBook => {
    const book = books.get(symbol) ?? { waiting: [] };
    books.set(symbol, book);
    return book;
  };
  return {
    kind: 'woo-x-v3-books',
    filters: (symbols) =>
      ['orderbook', 'orderbookupdate'].map((channel) => ({ channel, ...toUpperCaseSymbols(symbols) })),
    read(message, localTimestamp, emit) {
      const { topic, data, ts, generated } = toFields(message);
      const [channel, topicSymbol] = splitTopic(topic);
      const fields = toFields(data);
      if (generated === true && (channel === 'orderbook' || channel === 'orderbookupdate')) {
        const symbol = String(fields['s'] ?? topicSymbol);
        const book = bookOf(symbol);
        const snapshotMs = Number(fields['ts'] ?? ts);
        emit(createBookChange(symbol, true, { ...fields, ts: snapshotMs }, localTimestamp));
        const waiting = book.waiting;
        books.set(symbol, { snapshotMs, waiting: [] });
        for (const change of waiting) {
          if (!isBefore(change, snapshotMs)) emit(createBookChange(symbol, false, change, localTimestamp));
        }
      } else if (channel === 'orderbookupdate') {
        const symbol = String(fields['s']);
        const { snapshotMs, waiting } = bookOf(symbol);
        if (snapshotMs === undefined) {
          waiting.push(fields);
          if (waiting.length > MAX_WAITING_CHANGES) waiting.shift();
        } else if (!isBefore(fields, snapshotMs)) {
          emit(createBookChange(symbol, false, fields, localTimestamp));
        }
      }
    },
  };
}

function isBefore({ prevTs }: MessageFields, snapshotMs: number): boolean {
  return Number(prevTs) < snapshotMs;
}

function createBookChange(
  symbol: string,
  isSnapshot: boolean,
  { bids, asks, ts }: MessageFields,
  localTimestamp: number,
): BookChangeRecord {
  const eventTime = eventTimeFromMs(ts, localTimestamp);
  return {
    type: 'book_change',
    symbol,
    isSnapshot,
    bids: parseWooXLevels(bids),
    asks: parseWooXLevels(asks),
    ...eventTime,
  };
}

/** Pairs, or objects in the responses over HTTP. */
function parseWooXLevels(side: unknown): readonly PriceLevel[] {
  if (!Array.isArray(side)) return [];
  return side.map((level: unknown) => {
    const { price, quantity } = toFields(level);
    const [first, second] = Array.isArray(level) ? (level as readonly unknown[]) : [price, quantity];
    return { price: Number(first), amount: Number(second) };
  });
}

/** Perpetuals only; the index is that of the spot market. */
export function wooXDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  const indexPrices = new Map<string, number | undefined>();
  return {
    kind: 'woo-x-v3-derivative-tickers',
    filters: (symbols) => [
      ...['trade', 'markprice', 'estfundingrate', 'openinterest'].map((channel) => ({
        channel,
        ...toUpperCaseSymbols(symbols),
      })),
      {
        channel: 'indexprice',
        ...mapToUniqueSymbols(symbols, (symbol) => symbol.toUpperCase().replace('PERP_', 'SPOT_')),
      },
    ],
    handles(message) {
      const [channel] = splitTopic(toFields(message)['topic']);
      return channel === 'indexprice' || TICKER_CHANNELS.has(channel);
    },
    read(message, localTimestamp, emit) {
      const { topic, data } = toFields(message);
      const [channel] = splitTopic(topic);
      const { s, px, oi, r, ft, ts } = toFields(data);
      const symbol = String(s);
      if (channel === 'indexprice')
        indexPrices.set(symbol.replace('SPOT_', 'PERP_'), parseOptionalNumber(px));
      if (!symbol.startsWith('PERP_') || !TICKER_CHANNELS.has(channel)) return;
      const isFunding = channel === 'estfundingrate';
      const fundingMs = isFunding ? parseOptionalNumber(ft) : undefined;
      const record = tickers.get(symbol).update(
        {
          lastPrice: channel === 'trade' ? parseOptionalNumber(px) : undefined,
          openInterest: channel === 'openinterest' ? parseOptionalNumber(oi) : undefined,
          fundingRate: isFunding ? parseOptionalNumber(r) : undefined,
          fundingTimestamp: fundingMs === undefined ? undefined : fundingMs * 1000,
          indexPrice: indexPrices.get(symbol),
          markPrice: channel === 'markprice' ? parseOptionalNumber(px) : undefined,
        },
        eventTimeFromMs(ts, localTimestamp),
      );
      if (record) emit(record);
    },
  };
}

const TICKER_CHANNELS: ReadonlySet<string> = new Set([
  'trade',
  'markprice',
  'estfundingrate',
  'openinterest',
]);

/** `<channel>@<symbol>`, for books with the depth after it. */
function splitTopic(topic: unknown): readonly [channel: string, symbol: string | undefined] {
  const [channel = '', symbol] = typeof topic === 'string' ? topic.split('@') : [];
  return [channel, symbol];
}

function wooXNormalizer(
  channel: string,
  read: (data: MessageFields, localTimestamp: number, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `woo-x-v3-${channel}`,
    filters: (symbols) => [{ channel, ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { topic, data } = toFields(message);
      if (splitTopic(topic)[0] === channel) read(toFields(data), localTimestamp, emit);
    },
  };
}
