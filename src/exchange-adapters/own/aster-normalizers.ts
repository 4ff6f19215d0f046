import {
  eventTimeFromMs,
  isMessageFields,
  type MessageFields,
  parseLevelPairs,
  parseNonZeroNumber,
  parseNumber,
  parseOptionalNumber,
  toFields,
} from '../message-fields.js';
import { type EmitRecord, mapSymbols, type Normalizer, UnknownFormError } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';
import { LastTickers, type TickerValues } from './last-ticker.js';
import { createAlignedBooks, type UpdateNumbering } from './numbered-books.js';

/**
 * Aster's market streams (Aster Finance Spot API and Futures API, WebSocket Market Streams): `{stream:
 * "btcusdt@trade", data: {…}}` in the form of Binance, with numbers as text and times in milliseconds.
 */

/** Kinds of trades outside the order book. */
const OFF_BOOK: ReadonlySet<unknown> = new Set(['INSURANCE_FUND', 'ADL', 'NA']);

export function asterTrades(): Normalizer {
  return asterNormalizer('trades', ['trade'], ({ channel, data, symbol, localTimestamp }, emit) => {
    if (OFF_BOOK.has(data['X'])) return;
    emit({
      type: 'trade',
      symbol,
      id: String(data['t']),
      price: parseNumber(data['p'], channel),
      amount: parseNumber(data['q'], channel),
      side: data['m'] === true ? 'sell' : 'buy',
      ...eventTimeFromMs(data['T'], localTimestamp),
    });
  });
}

export function asterBookTickers(): Normalizer {
  return asterNormalizer('book-tickers', ['bookTicker'], ({ data, symbol, localTimestamp }, emit) => {
    const { a, A, b, B, E } = data;
    emit(createBookTicker(symbol, [a, A], [b, B], eventTimeFromMs(E, localTimestamp)));
  });
}

/**
 * Spot books: each change names the last update before it (`pu`), which the snapshot has reached if it lies
 * between `pu` and `u` (Aster Finance Spot API, How to manage a local order book correctly).
 */
const SPOT_NUMBERING: UpdateNumbering = {
  exchange: 'aster',
  isOutdated: (change, last) => change.last <= last,
  joins: ({ previous = Number.NaN, last: until }, last) => previous <= last && until >= last,
  follows: ({ previous }, last) => previous === last,
  isStrictInReplay: true,
};

/** Books of futures: the first change contains the update of the snapshot, or follows it directly. */
const FUTURES_NUMBERING: UpdateNumbering = {
  ...SPOT_NUMBERING,
  exchange: 'aster-futures',
  isOutdated: (change, last) => change.last < last,
  joins: ({ first, previous, last: until }, last) => (first <= last && until >= last) || previous === last,
};

export const asterBooks = (isLive: boolean): Normalizer => asterBookNormalizer(SPOT_NUMBERING, isLive);
export const asterFuturesBooks = (isLive: boolean): Normalizer =>
  asterBookNormalizer(FUTURES_NUMBERING, isLive);

/** The collector requests `depthSnapshot` over HTTP, after the first changes of a connection. */
function asterBookNormalizer(numbering: UpdateNumbering, isLive: boolean): Normalizer {
  const books = createAlignedBooks(numbering, isLive);
  const channels = ['depth', 'depthSnapshot'];
  return asterNormalizer('books', channels, ({ channel, data, symbol, localTimestamp }, emit) => {
    if (channel === 'depthSnapshot') {
      const { lastUpdateId, bids, asks, T } = data;
      if (!Number.isSafeInteger(lastUpdateId)) throw new UnknownFormError(channel);
      const sides = { bids: parseLevelPairs(bids), asks: parseLevelPairs(asks) };
      const time = eventTimeFromMs(T, localTimestamp);
      books.addSnapshot({ symbol, last: Number(lastUpdateId), ...sides, time }, emit);
      return;
    }
    const { U, u, pu, b, a, E } = data;
    if (!Number.isSafeInteger(u) || !Number.isSafeInteger(pu)) throw new UnknownFormError(channel);
    const sides = { bids: parseLevelPairs(b), asks: parseLevelPairs(a) };
    const numbers = { first: Number(U), last: Number(u), previous: Number(pu) };
    books.addChange({ symbol, ...numbers, ...sides, time: eventTimeFromMs(E, localTimestamp) }, emit);
  });
}

/** Mark prices have the funding rate; delivery contracts have an empty rate, or 0 as its time. */
export function asterDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  const channels = ['markPrice', 'ticker', 'openInterest'];
  return asterNormalizer('tickers', channels, ({ channel, data, symbol, localTimestamp }, emit) => {
    const values = TICKER_VALUES[channel]?.(data) ?? {};
    const time = eventTimeFromMs(channel === 'openInterest' ? data['time'] : data['E'], localTimestamp);
    const record = tickers.get(symbol).update(values, time);
    if (record) emit(record);
  });
}

const TICKER_VALUES: Readonly<Record<string, (data: MessageFields) => TickerValues>> = {
  ticker: ({ c }) => ({ lastPrice: parseOptionalNumber(c) }),
  openInterest: ({ openInterest }) => ({ openInterest: parseOptionalNumber(openInterest) }),
  markPrice({ p, i, r, T }) {
    const fundingRate = parseOptionalNumber(r);
    const fundingMs = parseNonZeroNumber(T);
    const hasFunding = fundingRate !== undefined && fundingMs !== undefined;
    return {
      markPrice: parseOptionalNumber(p),
      indexPrice: parseOptionalNumber(i),
      ...(hasFunding && { fundingRate, fundingTimestamp: fundingMs * 1000 }),
    };
  },
};

/** Only a completely filled order is the liquidation of a position. */
export function asterLiquidations(): Normalizer {
  return asterNormalizer(
    'liquidations',
    ['forceOrder'],
    ({ channel, data, symbol, localTimestamp }, emit) => {
      const { X, p, z, S, T } = toFields(data['o']);
      if (X !== 'FILLED') return;
      emit({
        type: 'liquidation',
        symbol,
        price: parseNumber(p, channel),
        amount: parseNumber(z, channel),
        side: S === 'SELL' ? 'sell' : 'buy',
        ...eventTimeFromMs(T, localTimestamp),
      });
    },
  );
}

interface AsterMessage {
  readonly channel: string;
  readonly data: MessageFields;
  readonly symbol: string;
  readonly localTimestamp: number;
}

/** @param channels as in filters; names of streams continue with `@` and a speed, or end. */
function asterNormalizer(
  kind: string,
  channels: readonly string[],
  read: (message: AsterMessage, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `aster-${kind}`,
    filters: (symbols) =>
      channels.map((channel) => ({ channel, ...mapSymbols(symbols, (symbol) => symbol.toLowerCase()) })),
    read(message, localTimestamp, emit) {
      const { stream, data } = toFields(message);
      const [, channel] = typeof stream === 'string' ? stream.split('@', 2) : [];
      if (channel === undefined || !channels.includes(channel)) return;
      if (!isMessageFields(data)) throw new UnknownFormError(channel);
      const symbol = readSymbol(data) ?? String(stream).split('@', 1)[0]?.toUpperCase() ?? '';
      read({ channel, data, symbol, localTimestamp }, emit);
    },
  };
}

/** Messages over HTTP write out `symbol`, or have none. */
function readSymbol({ s, symbol, o }: MessageFields): string | undefined {
  const name = s ?? symbol ?? toFields(o)['s'];
  return typeof name === 'string' ? name : undefined;
}
