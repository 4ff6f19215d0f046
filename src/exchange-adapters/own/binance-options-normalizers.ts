import type { OptionSummaryRecord } from '../../market/message-record.js';
import {
  eventTimeFromMs,
  type MessageFields,
  parseLevelPairs,
  parseNonZeroNumber,
  parseOptionalNumber,
  parsePositiveNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type EmitRecord, mapToUniqueSymbols, type Normalizer, toLowerCaseSymbols } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';

/**
 * Binance's European options since December 2025 (Binance Open Platform, Options trading, Websocket market
 * streams): `{stream: "<symbol>@<channel>", data}`, with numbers as text and times in milliseconds. `m` of a
 * trade: the buyer was the maker.
 */
export function binanceOptionsTrades(): Normalizer {
  return binanceOptionsNormalizer('optionTrade', ({ s, t, p, q, m, T }, localTimestamp, emit) => {
    emit({
      type: 'trade',
      symbol: String(s),
      id: String(t),
      price: Number(p),
      amount: Number(q),
      side: m === true ? 'sell' : 'buy',
      ...eventTimeFromMs(T, localTimestamp),
    });
  });
}

/** Each message is the best 20 levels of each side. */
export function binanceOptionsBooks(): Normalizer {
  return binanceOptionsNormalizer('depth20', ({ s, b, a, T }, localTimestamp, emit) => {
    emit({
      type: 'book_change',
      symbol: String(s),
      isSnapshot: true,
      bids: parseLevelPairs(b),
      asks: parseLevelPairs(a),
      ...eventTimeFromMs(T, localTimestamp),
    });
  });
}

export function binanceOptionsBookTickers(): Normalizer {
  return binanceOptionsNormalizer('bookTicker', ({ s, b, B, a, A, T }, localTimestamp, emit) => {
    const time = eventTimeFromMs(T, localTimestamp);
    emit(createBookTicker(String(s), [a, A], [b, B], time, parsePositiveNumber));
  });
}

/** Messages of mark prices have all values but the last price and the open interest. */
export function binanceOptionsSummaries(): Normalizer {
  const lastPrices = new Map<unknown, number>();
  const openInterests = new Map<unknown, number>();
  return {
    kind: 'binance-options-summaries',
    filters(symbols) {
      const underlying = mapToUniqueSymbols(symbols, (symbol) => `${symbol.split('-')[0]}usdt`.toLowerCase());
      return [
        { channel: 'optionMarkPrice', ...underlying },
        { channel: 'optionTicker', ...toLowerCaseSymbols(symbols) },
        { channel: 'optionOpenInterest', ...underlying },
      ];
    },
    read(message, localTimestamp, emit) {
      const { stream, data } = toFields(message);
      const channel = channelOf(stream);
      if (channel === 'optionTicker') {
        const { s, c } = toFields(data);
        const price = parsePositiveNumber(c);
        if (price !== undefined) lastPrices.set(s, price);
      } else if (channel === 'optionOpenInterest') {
        for (const { s, o } of toFieldsList(data)) {
          const openInterest = parseOptionalNumber(o);
          if (openInterest !== undefined && openInterest >= 0) openInterests.set(s, openInterest);
        }
      } else if (channel === 'optionMarkPrice') {
        for (const item of toFieldsList(data)) {
          const last = { lastPrice: lastPrices.get(item['s']), openInterest: openInterests.get(item['s']) };
          emit({ ...createSummary(item, localTimestamp), ...last });
        }
      }
    },
  };
}

/** `BTC-251219-89000-C`: underlying, day of expiration, strike price, and call or put. */
const OPTION = /^([^-]+)-(\d\d)(\d\d)(\d\d)-([\d.]+)-([CP])$/;

function createSummary(item: MessageFields, localTimestamp: number): OptionSummaryRecord {
  const symbol = String(item['s']);
  const parts = OPTION.exec(symbol);
  if (parts === null) throw new TypeError(`${symbol} is not an option`);
  const [, base, year, month, day, strike, kind] = parts;
  const bestBidPrice = parseNonZeroNumber(item['bo']);
  const bestAskPrice = parseNonZeroNumber(item['ao']);
  return {
    type: 'option_summary',
    symbol,
    optionType: kind === 'P' ? 'put' : 'call',
    strikePrice: Number(strike),
    expirationDate: Date.parse(`20${year}-${month}-${day}T08:00Z`) * 1000,
    bestBidPrice,
    bestBidAmount: parseNonZeroNumber(item['bq']),
    bestBidIV: bestBidPrice === undefined ? undefined : parseVolatility(item['b']),
    bestAskPrice,
    bestAskAmount: parseNonZeroNumber(item['aq']),
    bestAskIV: bestAskPrice === undefined ? undefined : parseVolatility(item['a']),
    markPrice: parseNonZeroNumber(item['mp']),
    markIV: parseNonZeroNumber(item['vo']),
    delta: parseNonZeroNumber(item['d']),
    gamma: parseNonZeroNumber(item['g']),
    vega: parseNonZeroNumber(item['v']),
    theta: parseNonZeroNumber(item['t']),
    underlyingPrice: parseNonZeroNumber(item['i']),
    underlyingIndex: `${base}USDT`,
    ...eventTimeFromMs(item['E'], localTimestamp),
  };
}

/** The exchange sends -1 if it has no volatility. */
function parseVolatility(value: unknown): number | undefined {
  const volatility = parseNonZeroNumber(value);
  return volatility === -1 ? undefined : volatility;
}

/** `<symbol>@<channel>`, or with a suffix `<symbol>@<channel>@100ms`. */
function channelOf(stream: unknown): string | undefined {
  return typeof stream === 'string' ? stream.split('@')[1] : undefined;
}

function binanceOptionsNormalizer(
  channel: string,
  read: (data: MessageFields, localTimestamp: number, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `binance-options-${channel}`,
    filters: (symbols) => [{ channel, ...toLowerCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { stream, data } = toFields(message);
      if (channelOf(stream) === channel) read(toFields(data), localTimestamp, emit);
    },
  };
}
