import type { PriceLevel, TradeSide } from '../../market/messages.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import {
  type EventTime,
  eventTimeFromMs,
  type MessageFields,
  parseNonZeroNumber,
  parseOptionalNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { type EmitRecord, mapSymbols, type Normalizer, UnknownFormError } from '../normalizer.js';
import { LastTickers } from './last-ticker.js';
import { BookSequence } from './numbered-books.js';

/**
 * Bullish (Bullish Trading API, WebSocket Public API): `{type: 'snapshot' or 'update', dataType, data}`, with
 * numbers as text. `dataType` is the name of the channel in the feed.
 */
export function bullishTrades(): Normalizer {
  return bullishNormalizer('V1TAAnonymousTradeUpdate', (type, { trades }, localTimestamp, emit) => {
    // Trades in the snapshot happened before the connection.
    if (type !== 'update') return;
    for (const trade of toFieldsList(trades)) {
      const { symbol, tradeId, price, quantity, createdAtDatetime } = trade;
      emit({
        type: 'trade',
        symbol: String(symbol),
        id: String(tradeId),
        price: Number(price),
        amount: Number(quantity),
        side: readTakerSide(trade),
        ...eventTimeFromDatetime(createdAtDatetime, localTimestamp),
      });
    }
  });
}

/** Levels are one list of alternating prices and amounts. An update is for a range of numbers. */
export function bullishBooks(isLive = false): Normalizer {
  const sequence = new BookSequence('bullish', isLive);
  return bullishNormalizer('V1TALevel2', (type, data, localTimestamp, emit) => {
    const { bids, asks, timestamp, sequenceNumberRange } = data;
    const symbol = String(data['symbol']);
    const [first, last] = Array.isArray(sequenceNumberRange) ? sequenceNumberRange.map(Number) : [];
    const isSnapshot = type === 'snapshot';
    if (isSnapshot) sequence.restart(symbol, last ?? Number.NaN);
    else if (!sequence.accepts(symbol, first ?? Number.NaN, last ?? Number.NaN)) return;
    emit({
      type: 'book_change',
      symbol,
      isSnapshot,
      bids: parseFlatLevels(bids),
      asks: parseFlatLevels(asks),
      ...bookTime(timestamp, localTimestamp),
    });
  });
}

export function bullishBookTickers(): Normalizer {
  return bullishNormalizer('V1TALevel1', (_, { symbol, bid, ask, timestamp }, localTimestamp, emit) => {
    const [bidPrice, bidAmount] = parseBest(bid);
    const [askPrice, askAmount] = parseBest(ask);
    emit({
      type: 'book_ticker',
      symbol: String(symbol),
      bidPrice,
      bidAmount,
      askPrice,
      askAmount,
      ...bookTime(timestamp, localTimestamp),
    });
  });
}

/** Perpetuals and dated futures: `BTC-USDC-PERP`, `BTC-USDC-20260426`. */
const FUTURE = /-(?:PERP|\d{8})$/;

export function bullishDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  return withIndexPrices('derivative-tickers', (symbol, data, indexPrice, localTimestamp, emit) => {
    if (!FUTURE.test(symbol)) return;
    const record = tickers.get(symbol).update(
      {
        lastPrice: parseNonZeroNumber(data['last']),
        openInterest: parseOptionalNumber(data['openInterest']),
        fundingRate: parseOptionalNumber(data['fundingRate']),
        indexPrice,
        markPrice: parseNonZeroNumber(data['markPrice']),
      },
      eventTimeFromDatetime(data['createdAtDatetime'], localTimestamp),
    );
    if (record) emit(record);
  });
}

/** `BTC-USDC-20260426-70000-C`. Options expire at 8:00 UTC. */
const OPTION =
  /^(?<asset>[^-]+)-[^-]+-(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)-(?<strike>[\d.]+)-(?<type>[CP])$/;

export function bullishOptionSummaries(): Normalizer {
  return withIndexPrices('option-summaries', (symbol, data, underlyingPrice, localTimestamp, emit) => {
    const option = OPTION.exec(symbol)?.groups;
    if (option === undefined) return;
    const { asset, year, month, day, strike, type } = option;
    emit({
      type: 'option_summary',
      symbol,
      optionType: type === 'P' ? 'put' : 'call',
      strikePrice: Number(strike),
      expirationDate: Date.parse(`${year}-${month}-${day}T08:00Z`) * 1000,
      bestBidPrice: parseNonZeroNumber(data['bestBid']),
      bestBidAmount: parseNonZeroNumber(data['bidVolume']),
      bestAskPrice: parseNonZeroNumber(data['bestAsk']),
      bestAskAmount: parseNonZeroNumber(data['askVolume']),
      lastPrice: parseNonZeroNumber(data['last']),
      openInterest: parseOptionalNumber(data['openInterest']),
      markPrice: parseOptionalNumber(data['markPrice']),
      markIV: parseNonZeroNumber(data['impliedVolatility']),
      delta: parseOptionalNumber(data['delta']),
      gamma: parseOptionalNumber(data['gamma']),
      vega: parseOptionalNumber(data['vega']),
      theta: parseOptionalNumber(data['theta']),
      underlyingPrice,
      underlyingIndex: asset ?? '',
      ...eventTimeFromDatetime(data['createdAtDatetime'], localTimestamp),
    });
  });
}

type DataReader = (type: unknown, data: MessageFields, localTimestamp: number, emit: EmitRecord) => void;

function bullishNormalizer(channel: string, read: DataReader): Normalizer {
  return {
    kind: `bullish-${channel}`,
    filters: (symbols) => [{ channel, ...mapSymbols(symbols, String) }],
    read(message, localTimestamp, emit) {
      const { type, dataType, data } = toFields(message);
      if (dataType !== channel) return;
      if (type !== 'snapshot' && type !== 'update') throw new UnknownFormError(channel);
      read(type, toFields(data), localTimestamp, emit);
    },
  };
}

/** Reads tickers, with the last index price of their asset: that of `BTC` for `BTC-USDC-PERP`. */
function withIndexPrices(
  kind: string,
  read: (
    symbol: string,
    data: MessageFields,
    indexPrice: number | undefined,
    localTimestamp: number,
    emit: EmitRecord,
  ) => void,
): Normalizer {
  const prices = new Map<string, number>();
  const indexes = bullishNormalizer('V1TAIndexPrice', (_, { assetSymbol, price }) => {
    const value = parseNonZeroNumber(price);
    if (value !== undefined) prices.set(String(assetSymbol), value);
  });
  const tickers = bullishNormalizer('V1TATickerResponse', (_, data, localTimestamp, emit) => {
    // A market without any ticker yet has no data.
    if (data['symbol'] === undefined) return;
    const symbol = String(data['symbol']);
    read(symbol, data, prices.get(toAsset(symbol)), localTimestamp, emit);
  });
  return {
    kind: `bullish-${kind}`,
    filters: (symbols): readonly FeedFilter[] => [
      ...tickers.filters(symbols),
      ...indexes.filters(symbols && [...new Set(symbols.map(toAsset))]),
    ],
    read(message, localTimestamp, emit) {
      indexes.read(message, localTimestamp, emit);
      tickers.read(message, localTimestamp, emit);
    },
  };
}

function toAsset(symbol: string): string {
  return symbol.split('-')[0] ?? symbol;
}

/** The side of a trade is that of the taker, or, without `isTaker`, that of the maker. */
function readTakerSide({ side, isTaker }: MessageFields): TradeSide {
  if (side !== 'BUY' && side !== 'SELL') return 'unknown';
  return (side === 'BUY') === (isTaker === true) ? 'buy' : 'sell';
}

/** `["price", "amount", "price", "amount", …]`. */
function parseFlatLevels(side: unknown): readonly PriceLevel[] {
  if (!Array.isArray(side)) return [];
  return Array.from({ length: Math.floor(side.length / 2) }, (_, i) => ({
    price: Number(side[2 * i]),
    amount: Number(side[2 * i + 1]),
  }));
}

/** `["price", "amount"]`, each 0 if the side is empty. */
function parseBest(side: unknown): readonly [number | undefined, number | undefined] {
  const [price, amount]: readonly unknown[] = Array.isArray(side) ? side : [];
  return [parseNonZeroNumber(price), parseNonZeroNumber(amount)];
}

const MS_DIGITS = 13;

/** The time of a book. Some books have one with too few digits, which is replaced by the local time. */
function bookTime(ms: unknown, localTimestamp: number): EventTime {
  return eventTimeFromMs(String(ms).length === MS_DIGITS ? ms : undefined, localTimestamp);
}

/** Times in other units are in other fields, so the ISO text is read; it has milliseconds. */
function eventTimeFromDatetime(datetime: unknown, localTimestamp: number): EventTime {
  return eventTimeFromMs(Date.parse(String(datetime)), localTimestamp);
}
