import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { Normalizer } from '../../../src/exchange-adapters/normalizer.js';
import { asterBooks, asterFuturesBooks } from '../../../src/exchange-adapters/own/aster-normalizers.js';
import { mexcBooks, mexcFuturesBooks } from '../../../src/exchange-adapters/own/mexc-normalizers.js';
import type { MessageRecord } from '../../../src/market/message-record.js';
import { type Random, seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { rounds } from '../../helpers/services.js';
import { LOCAL, MS } from './messages.js';

/** Amounts by price and side, as text, as `bid 100`. */
type Book = ReadonlyMap<string, string>;

/** An update of a book, or its snapshot, by the numbers of the exchange. */
interface Message {
  readonly isSnapshot: boolean;
  /** Number of the update before, and the first and last number. */
  readonly previous: number;
  readonly first: number;
  readonly last: number;
  readonly levels: readonly (readonly [key: string, amount: string])[];
}

interface Market {
  readonly create: (isLive: boolean) => Normalizer;
  /** Whether numbers of consecutive messages have no gaps. */
  readonly isConsecutive: boolean;
  readonly write: (message: Message) => object;
  /** Rules of the exchange's documentation, for a book that contains the updates up to `at`. */
  readonly isOutdated: (message: Message, at: number) => boolean;
  readonly joins: (message: Message, at: number) => boolean;
  readonly follows: (message: Message, at: number) => boolean;
}

const pairs = ({ levels }: Message, side: string): readonly (readonly [string, string])[] =>
  levels.filter(([key]) => key.startsWith(side)).map(([key, amount]) => [key.slice(4), amount]);

function aster(stream: string): (message: Message) => object {
  return (message) => {
    const [bids, asks] = [pairs(message, 'bid'), pairs(message, 'ask')];
    const { isSnapshot, previous: pu, first: U, last: u } = message;
    return isSnapshot
      ? { stream: `${stream}@depthSnapshot`, generated: true, data: { lastUpdateId: u, bids, asks } }
      : { stream: `${stream}@depth@0ms`, data: { s: 'BTCUSDT', E: Number(MS), U, u, pu, b: bids, a: asks } };
  };
}

function writeMexc(message: Message): object {
  const [bids, asks] = [pairs(message, 'bid'), pairs(message, 'ask')];
  const { isSnapshot, first, last } = message;
  const named = (side: typeof bids): object[] => side.map(([price, quantity]) => ({ price, quantity }));
  const common = { symbol: 'BTCUSDT', sendTime: MS };
  if (isSnapshot) {
    const publicAggreDepthsSnapshot = { lastUpdateId: last, bids, asks, timestamp: Number(MS) };
    const channel = 'spot@public.aggre.depth.snapshot.v3.api.pb@10ms@BTCUSDT';
    return { channel, ...common, generated: true, publicAggreDepthsSnapshot };
  }
  return {
    channel: 'spot@public.aggre.depth.v3.api.pb@10ms@BTCUSDT',
    ...common,
    publicAggreDepths: {
      ...(bids.length > 0 && { bids: named(bids) }),
      ...(asks.length > 0 && { asks: named(asks) }),
      fromVersion: String(first),
      toVersion: String(last),
    },
  };
}

function writeMexcFutures(message: Message): object {
  const numbers = (side: string): number[][] =>
    pairs(message, side).map(([price, amount]) => [Number(price), Number(amount), 1]);
  const { isSnapshot, first, last } = message;
  const data = { bids: numbers('bid'), asks: numbers('ask'), version: last, timestamp: Number(MS) };
  return {
    channel: isSnapshot ? 'push.depth.snapshot' : 'push.depth',
    symbol: 'BTC_USDT',
    ts: Number(MS),
    data: { ...data, ...(first < last && !isSnapshot && { begin: first, end: last }) },
  };
}

const MEXC_RULES = {
  isConsecutive: true,
  isOutdated: ({ last }: Message, at: number) => last <= at,
  joins: ({ first }: Message, at: number) => first <= at + 1,
  follows: ({ first }: Message, at: number) => first <= at + 1,
};

const MARKETS: Readonly<Record<string, Market>> = {
  aster: {
    create: asterBooks,
    isConsecutive: false,
    write: aster('btcusdt'),
    isOutdated: ({ last }, at) => last <= at,
    joins: ({ previous, last }, at) => previous <= at && last >= at,
    follows: ({ previous }, at) => previous === at,
  },
  'aster-futures': {
    create: asterFuturesBooks,
    isConsecutive: false,
    write: aster('btcusdt'),
    isOutdated: ({ last }, at) => last < at,
    joins: ({ previous, first, last }, at) => (first <= at && last >= at) || previous === at,
    follows: ({ previous }, at) => previous === at,
  },
  mexc: { create: mexcBooks, write: writeMexc, ...MEXC_RULES },
  'mexc-futures': { create: mexcFuturesBooks, write: writeMexcFutures, ...MEXC_RULES },
};

interface History {
  /** Updates in order, with a snapshot among them. */
  readonly messages: readonly Message[];
  /** The whole book after each update, by its last number. */
  readonly books: ReadonlyMap<number, Book>;
}

/** A random history of a book. The snapshot arrives later than the updates that it contains, or earlier. */
function randomHistory(random: Random, isConsecutive: boolean): History {
  const books = new Map<number, Book>();
  const messages: Message[] = [];
  let book = new Map<string, string>();
  let last = 100;
  books.set(last, book);
  for (let i = 0; i < 12; i++) {
    const previous = last;
    const first = previous + 1 + (isConsecutive ? 0 : random.int(3));
    last = first + random.int(3);
    const keys = Array.from(
      { length: random.int(4) },
      () => `${random.chance(0.5) ? 'bid' : 'ask'} ${100 + random.int(8)}`,
    );
    const levels = keys.map((key) => [key, random.chance(0.3) ? '0' : `${1 + random.int(99)}`] as const);
    book = applyLevels(book, levels);
    books.set(last, book);
    messages.push({ isSnapshot: false, previous, first, last, levels });
  }
  const ends = [...books.keys()];
  const at = ends[random.int(ends.length)] ?? 100;
  const snapshot = {
    isSnapshot: true,
    previous: at,
    first: at,
    last: at,
    levels: [...(books.get(at) ?? [])],
  };
  messages.splice(random.int(messages.length + 1), 0, snapshot);
  return { messages, books };
}

function applyLevels(book: Book, levels: Message['levels']): Map<string, string> {
  const changed = new Map(book);
  for (const [key, amount] of levels) {
    if (amount === '0') changed.delete(key);
    else changed.set(key, amount);
  }
  return changed;
}

/** Drops, repeats or swaps a message in some histories. */
function disturb(random: Random, messages: readonly Message[]): readonly Message[] {
  const disturbed = [...messages];
  const at = random.int(messages.length);
  const kind = random.int(5);
  if (kind === 0) disturbed.splice(at, 1);
  if (kind === 1) disturbed.splice(at, 0, ...messages.slice(at, at + 1));
  if (kind === 2) disturbed.splice(at, 2, ...messages.slice(at, at + 2).reverse());
  return disturbed;
}

/** The book after each message that changes it, by the exchange's rules; undefined after a gap. */
function readSlowly(market: Market, messages: readonly Message[]): readonly (string | undefined)[] {
  const shown: (string | undefined)[] = [];
  for (let end = 1; end <= messages.length; end++) {
    const known = messages.slice(0, end);
    const snapshot = known.find(({ isSnapshot }) => isSnapshot);
    if (snapshot === undefined) continue;
    let book = applyLevels(new Map(), snapshot.levels);
    let at = snapshot.last;
    let hasJoined = false;
    let wasUsed = known.at(-1) === snapshot;
    for (const message of known.filter(({ isSnapshot }) => !isSnapshot)) {
      wasUsed = known.at(-1) === snapshot || (message === known.at(-1) && !market.isOutdated(message, at));
      if (market.isOutdated(message, at)) continue;
      if (!(hasJoined ? market.follows : market.joins)(message, at)) return [...shown, undefined];
      book = applyLevels(book, message.levels);
      at = message.last;
      hasJoined = true;
    }
    const isRepeatedSnapshot = known.at(-1)?.isSnapshot === true && known.indexOf(snapshot) < end - 1;
    if (wasUsed && !isRepeatedSnapshot) shown.push(showBook(book));
  }
  return shown;
}

function showBook(book: Book): string {
  return JSON.stringify([...book].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The book after each record; undefined for an error. */
function readRecords(
  { create, write }: Market,
  messages: readonly Message[],
  isLive: boolean,
): readonly (string | undefined)[] {
  const normalizer = create(isLive);
  const shown: (string | undefined)[] = [];
  let book: Book = new Map();
  const emit = (record: MessageRecord): void => {
    assert.ok(record.type === 'book_change');
    const { isSnapshot, bids, asks } = record;
    assert.equal(isSnapshot, shown.length === 0);
    const toLevels = (side: string, levels: typeof bids): Message['levels'] =>
      levels.map(({ price, amount }) => [`${side} ${price}`, String(amount)]);
    book = applyLevels(book, [...toLevels('bid', bids), ...toLevels('ask', asks)]);
    shown.push(showBook(book));
  };
  for (const message of messages) {
    try {
      normalizer.read(write(message), LOCAL, emit);
    } catch (error) {
      assert.ok(error instanceof TickhaulError && error.code === 'corrupt', String(error));
      return [...shown, undefined];
    }
  }
  return shown;
}

for (const [exchange, market] of Object.entries(MARKETS)) {
  test(`books of ${exchange} equal the exchange's own, or end with an error at a gap`, () => {
    let gaps = 0;
    for (let seed = 0; seed < rounds(1200); seed++) {
      const random = seededRandom(`${exchange} ${seed}`);
      const { messages, books } = randomHistory(random, market.isConsecutive);
      const whole = readRecords(market, messages, true);
      assert.ok(!whole.includes(undefined), `seed ${seed}`);
      assert.deepEqual(whole.at(-1), showBook([...books.values()].at(-1) ?? new Map()), `seed ${seed}`);
      assert.deepEqual(readRecords(market, messages, false), whole, `seed ${seed}`);
      const disturbed = disturb(random, messages);
      const expected = readSlowly(market, disturbed);
      assert.deepEqual(readRecords(market, disturbed, true), expected, `seed ${seed}`);
      if (expected.includes(undefined)) gaps++;
    }
    assert.ok(gaps > 40, String(gaps));
  });
}
