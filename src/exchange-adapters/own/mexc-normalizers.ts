import type { PriceLevel } from '../../market/messages.js';
import {
  eventTimeFromMs,
  isMessageFields,
  type MessageFields,
  parseLevelPairs,
  parseNonZeroNumber,
  parseNumber,
  parseOptionalNumber,
  toFieldsList,
} from '../message-fields.js';
import { intern } from '../message-text/book-text.js';
import { CELL, COUNT, MS } from '../message-text/trade-text.js';
import { type EmitRecord, type Normalizer, toUpperCaseSymbols, UnknownFormError } from '../normalizer.js';
import { createBookTicker } from './book-tickers.js';
import { LastTickers } from './last-ticker.js';
import { type AlignedBooks, createAlignedBooks, type UpdateNumbering } from './numbered-books.js';

/**
 * MEXC's spot market (MEXC Spot V3 API, Websocket Market Streams): protocol buffers, which the collector
 * records as JSON: `{channel: "…@BTCUSDT", symbol, sendTime, <body>: {…}}`, with numbers as text and times in
 * milliseconds. A message without a body only confirms the subscription.
 */
const DEALS = 'spot@public.aggre.deals.v3.api.pb@10ms';
const DEPTH = 'spot@public.aggre.depth.v3.api.pb@10ms';
const DEPTH_SNAPSHOT = 'spot@public.aggre.depth.snapshot.v3.api.pb@10ms';
const BOOK_TICKER = 'spot@public.aggre.bookTicker.v3.api.pb@10ms';

export function mexcTrades(): Normalizer {
  return mexcNormalizer(
    'trades',
    { [DEALS]: 'publicAggreDeals' },
    ({ body, symbol, localTimestamp }, emit) => {
      for (const { tradeId, price, quantity, tradeType, time } of toFieldsList(body['deals'])) {
        emit({
          type: 'trade',
          symbol,
          id: toId(tradeId),
          price: parseNumber(price, DEALS),
          amount: parseNumber(quantity, DEALS),
          side: tradeType === BUY ? 'buy' : 'sell',
          ...eventTimeFromMs(time, localTimestamp),
        });
      }
    },
  );
}

export function mexcBookTickers(): Normalizer {
  const bodies = { [BOOK_TICKER]: 'publicAggreBookTicker' };
  return mexcNormalizer('book-tickers', bodies, ({ body, symbol, sendTime, localTimestamp }, emit) => {
    const { askPrice, askQuantity, bidPrice, bidQuantity } = body;
    const time = eventTimeFromMs(sendTime, localTimestamp);
    emit(createBookTicker(symbol, [askPrice, askQuantity], [bidPrice, bidQuantity], time));
  });
}

/**
 * Books of both markets: a change contains consecutive versions, and the next one begins with the version
 * after them (MEXC Spot V3 API, How to properly maintain a local copy of the order book; MEXC Futures API,
 * Incremental order book maintenance mechanism).
 */
const NUMBERING: UpdateNumbering = {
  exchange: 'mexc',
  isOutdated: (change, last) => change.last <= last,
  joins: ({ first }, last) => first <= last + 1,
  follows: ({ first }, last) => first <= last + 1,
  isStrictInReplay: false,
};

/** The collector requests the snapshot over HTTP, after the first changes of a connection. */
export function mexcBooks(isLive: boolean): Normalizer {
  const books = createAlignedBooks(NUMBERING, isLive);
  const bodies = { [DEPTH]: 'publicAggreDepths', [DEPTH_SNAPSHOT]: 'publicAggreDepthsSnapshot' };
  const normalizer = mexcNormalizer(
    'books',
    bodies,
    ({ channel, body, symbol, sendTime, localTimestamp }, emit) => {
      if (channel === DEPTH_SNAPSHOT) {
        const { lastUpdateId, bids, asks, timestamp } = body;
        const sides = { bids: parseLevelPairs(bids), asks: parseLevelPairs(asks) };
        const time = eventTimeFromMs(timestamp, localTimestamp);
        books.addSnapshot({ symbol, last: parseNumber(lastUpdateId, channel), ...sides, time }, emit);
        return;
      }
      const change = {
        symbol,
        first: parseNumber(body['fromVersion'], channel),
        last: parseNumber(body['toVersion'], channel),
        bids: parseMexcLevels(body['bids']),
        asks: parseMexcLevels(body['asks']),
        time: eventTimeFromMs(sendTime, localTimestamp),
      };
      books.addChange(change, emit);
    },
  );
  const readDepth = createMexcDepthReader();
  return {
    ...normalizer,
    readText(text, localTimestamp, emit) {
      const depth = readDepth(text);
      if (depth === undefined) return false;
      const { symbol, sendTime, bids, asks, fromVersion: first, toVersion: last } = depth;
      const time = eventTimeFromMs(sendTime, localTimestamp);
      books.addChange({ symbol, first, last, bids, asks, time }, emit);
      return true;
    },
  };
}

/** A field of a protocol buffer that is empty is absent: the quantity of a removed level may be. */
function parseMexcLevels(side: unknown): readonly PriceLevel[] {
  if (!Array.isArray(side)) return [];
  return side.map(({ price, quantity = 0 }: MessageFields) => {
    const level = { price: Number(price), amount: Number(quantity) };
    if (!(level.price > 0 && level.amount >= 0)) throw new UnknownFormError(DEPTH);
    return level;
  });
}

interface MexcMessage {
  readonly channel: string;
  readonly body: MessageFields;
  readonly symbol: string;
  readonly sendTime: unknown;
  readonly localTimestamp: number;
}

/** @param bodies the channels, each with the field that has its data. */
function mexcNormalizer(
  kind: string,
  bodies: Readonly<Record<string, string>>,
  read: (message: MexcMessage, emit: EmitRecord) => void,
): Normalizer {
  const topics = Object.entries(bodies).map(([channel, field]) => ({
    channel,
    field,
    prefix: `${channel}@`,
  }));
  return {
    kind: `mexc-${kind}`,
    filters: (symbols) => topics.map(({ channel }) => ({ channel, ...toUpperCaseSymbols(symbols) })),
    read(message, localTimestamp, emit) {
      if (!isMessageFields(message)) return;
      const { channel: name, symbol, sendTime } = message;
      if (typeof name !== 'string') return;
      const topic = topics.find(({ prefix }) => name.startsWith(prefix));
      if (topic === undefined) return;
      const { channel, field } = topic;
      const body = message[field];
      if (body === undefined) return;
      if (!isMessageFields(body) || typeof symbol !== 'string') throw new UnknownFormError(channel);
      read({ channel, body, symbol, sendTime, localTimestamp }, emit);
    },
  };
}

const BUY = 1;

/** Ids are text, or a number; some trades have none. */
function toId(id: unknown): string | undefined {
  return id === undefined || id === null ? undefined : String(id);
}

/**
 * MEXC's futures (MEXC Futures API, WebSocket API, Public channels): `{channel: "push.deal", symbol, data, ts}`
 * with numbers and times in milliseconds. Amounts are contracts. Several trades are a list, one may be without.
 */
export function mexcFuturesTrades(): Normalizer {
  return mexcFuturesNormalizer('trades', ['push.deal'], ({ channel, data, symbol, localTimestamp }, emit) => {
    for (const { i, p, v, T, t } of toFieldsList(isMessageFields(data) ? [data] : data)) {
      emit({
        type: 'trade',
        symbol,
        id: toId(i),
        price: parseNumber(p, channel),
        amount: parseNumber(v, channel),
        side: T === BUY ? 'buy' : 'sell',
        ...eventTimeFromMs(t, localTimestamp),
      });
    }
  });
}

/** A change of several versions names the first and the last; one of a single version may name neither. */
export function mexcFuturesBooks(isLive: boolean): Normalizer {
  const books: AlignedBooks = createAlignedBooks({ ...NUMBERING, exchange: 'mexc-futures' }, isLive);
  const channels = ['push.depth', 'push.depth.snapshot'];
  return mexcFuturesNormalizer('books', channels, ({ channel, data, symbol, ts, localTimestamp }, emit) => {
    if (!isMessageFields(data)) throw new UnknownFormError(channel);
    const { version, begin, end, bids, asks, timestamp } = data;
    const sides = { bids: parseLevelPairs(bids), asks: parseLevelPairs(asks) };
    const last = parseNumber(parseNonZeroNumber(end) ?? version, channel);
    if (channel === 'push.depth.snapshot') {
      const time = eventTimeFromMs(timestamp, localTimestamp);
      books.addSnapshot({ symbol, last, ...sides, time }, emit);
      return;
    }
    const first = parseNonZeroNumber(begin) ?? parseNumber(version, channel);
    books.addChange({ symbol, first, last, ...sides, time: eventTimeFromMs(ts, localTimestamp) }, emit);
  });
}

/** The rate of a ticker is not that of the next funding, so rates are those of `push.funding.rate`. */
export function mexcFuturesDerivativeTickers(): Normalizer {
  const tickers = new LastTickers();
  const channels = ['push.ticker', 'push.funding.rate'];
  return mexcFuturesNormalizer('tickers', channels, ({ channel, data, symbol, localTimestamp }, emit) => {
    if (!isMessageFields(data)) throw new UnknownFormError(channel);
    const ticker = tickers.get(symbol);
    if (channel === 'push.funding.rate') {
      const next = parseNonZeroNumber(data['nextSettleTime']);
      ticker.remember({
        fundingRate: parseOptionalNumber(data['rate'] ?? data['fundingRate']),
        fundingTimestamp: next === undefined ? undefined : next * 1000,
      });
      return;
    }
    const record = ticker.update(
      {
        lastPrice: parseOptionalNumber(data['lastPrice']),
        openInterest: parseOptionalNumber(data['holdVol']),
        indexPrice: parseOptionalNumber(data['indexPrice']),
        markPrice: parseOptionalNumber(data['fairPrice']),
      },
      eventTimeFromMs(data['timestamp'], localTimestamp),
    );
    if (record) emit(record);
  });
}

interface MexcFuturesMessage {
  readonly channel: string;
  readonly data: unknown;
  readonly symbol: string;
  readonly ts: unknown;
  readonly localTimestamp: number;
}

function mexcFuturesNormalizer(
  kind: string,
  channels: readonly string[],
  read: (message: MexcFuturesMessage, emit: EmitRecord) => void,
): Normalizer {
  return {
    kind: `mexc-futures-${kind}`,
    filters: (symbols) => channels.map((channel) => ({ channel, ...toUpperCaseSymbols(symbols) })),
    read(message, localTimestamp, emit) {
      if (!isMessageFields(message)) return;
      const { channel, data, symbol, ts } = message;
      if (typeof channel !== 'string' || !channels.includes(channel)) return;
      if (typeof symbol !== 'string') throw new UnknownFormError(channel);
      read({ channel, data, symbol, ts, localTimestamp }, emit);
    },
  };
}

/** A change of a book of MEXC's spot market. */
interface MexcDepth {
  readonly symbol: string;
  /** Milliseconds. */
  readonly sendTime: number;
  readonly asks: readonly PriceLevel[];
  readonly bids: readonly PriceLevel[];
  readonly fromVersion: number;
  readonly toVersion: number;
}

/** At most 15 digits, which a double holds exactly; their quotient with a power of ten is rounded once. */
const NUMBER = '\\d{1,9}(?:\\.\\d{1,6})?|\\d{1,3}\\.\\d{7,12}';
const LEVEL = `\\{"price":"(?:${NUMBER})","quantity":"(?:${NUMBER})"\\}`;
const LEVELS = `\\[(?:${LEVEL}(?:,${LEVEL})*)?\\]`;
const DEPTH_MESSAGE = new RegExp(
  `^\\{"channel":"spot@public\\.aggre\\.depth\\.v3\\.api\\.pb@10ms@(${CELL}+)","symbol":"(${CELL}+)","sendTime":"(${MS})",` +
    `"publicAggreDepths":\\{"asks":${LEVELS},"bids":${LEVELS},"eventType":"${CELL}*",` +
    `"fromVersion":"(${COUNT})","toVersion":"(${COUNT})"\\}\\}$`,
);

/**
 * Creates a reader of changes from their text, in the form that the collector usually records; it returns
 * undefined for any other. It takes less time than parsing JSON, which makes an object and two texts of every
 * level.
 */
function createMexcDepthReader(): (text: string) => MexcDepth | undefined {
  const symbols = new Map<string, string>();
  return (text) => {
    const match = DEPTH_MESSAGE.exec(text);
    if (!match) return undefined;
    const [, , symbol, sendTime, from, to] = match as unknown as DepthGroups;
    const levels = new LevelScanner(text, text.indexOf('"asks":[') + '"asks":['.length);
    const asks = levels.read();
    levels.skip('],"bids":['.length);
    const bids = levels.read();
    if (levels.hasZeroPrice) return undefined;
    const versions = { fromVersion: Number(from), toVersion: Number(to) };
    return { symbol: intern(symbol, symbols), sendTime: Number(sendTime), asks, bids, ...versions };
  };
}

/** The match, the channel's symbol and the other groups. */
type DepthGroups = readonly [string, string, string, string, string, string];

const POWERS_OF_TEN = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
const BRACKET = 93;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;

/** Reads lists of levels from a text that the pattern has checked. */
class LevelScanner {
  readonly #text: string;
  #at: number;
  hasZeroPrice = false;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  skip(characters: number): void {
    this.#at += characters;
  }

  /** The levels up to the end of a list. */
  read(): readonly PriceLevel[] {
    const levels: PriceLevel[] = [];
    while (this.#text.charCodeAt(this.#at) !== BRACKET) {
      if (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
      this.#at += '{"price":"'.length;
      const price = this.#readNumber();
      this.#at += '","quantity":"'.length;
      const amount = this.#readNumber();
      this.#at += '"}'.length;
      this.hasZeroPrice ||= price === 0;
      levels.push({ price, amount });
    }
    return levels;
  }

  #readNumber(): number {
    const text = this.#text;
    let at = this.#at;
    let digits = 0;
    let pointAt = -1;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === POINT) pointAt = at;
      else if (code >= ZERO) digits = digits * 10 + (code - ZERO);
      else break;
    }
    this.#at = at;
    return pointAt < 0 ? digits : digits / (POWERS_OF_TEN[at - pointAt - 1] as number);
  }
}
