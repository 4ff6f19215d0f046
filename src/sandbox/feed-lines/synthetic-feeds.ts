import { type Day, MINUTES_PER_DAY, US_PER_MINUTE } from '../../day-files/day.js';
import type { PriceLevel } from '../../market/messages.js';
import { LruMap } from '../archive/lru-map.js';
import type { EventOf, MarketEvent, MarketSize } from '../simulation/market-event.js';
import { seededRandom } from '../simulation/seeded-random.js';
import { findConnectionLoss, simulateMarket } from '../simulation/simulate-market.js';
import { simulateOptionsChain } from '../simulation/simulate-options-chain.js';
import { createBookStateTracker } from '../simulation/synthetic-book.js';
import type { SandboxExchange } from '../simulation/synthetic-exchanges.js';
import { createSyntheticInstrument, type SyntheticInstrument } from '../simulation/synthetic-instrument.js';
import {
  createFeedLineWriter,
  type FeedLine,
  type FeedMarket,
  isSelected,
  type LineFilter,
  listMarkets,
  mayBeSelected,
} from './feed-markets.js';
import { createNativeWriter, MESSAGE_WRITERS } from './native-writer.js';

/** Characters of cached lines by default. */
const MAX_CACHED_CHARACTERS = 64_000_000;
/** Cached pairs of exchange and day. */
const MAX_FEED_DAYS = 64;

interface SyntheticFeedsOptions extends MarketSize {
  readonly exchanges: readonly SandboxExchange[];
  /** Share of the minutes with a disconnect that is not part of the simulation. */
  readonly breaks: number;
  /** Characters of cached lines, 64 million by default. */
  readonly maxCachedCharacters?: number;
}

/** The feeds of the exchanges, minute by minute. */
export interface SyntheticFeeds {
  /**
   * The lines that filters select, and all disconnects, in order; undefined for an exchange without a feed.
   * @param minute minutes since the epoch.
   */
  minute(exchange: string, filters: readonly LineFilter[], minute: number): string | undefined;
}

/** The feed of an exchange on one day. */
interface FeedDay {
  readonly markets: readonly FeedMarket[];
  readonly disconnects: DayDisconnects;
}

/** Feeds of the synthetic markets, from the same events as their day files. */
export function createSyntheticFeeds(options: SyntheticFeedsOptions): SyntheticFeeds {
  const days = new LruMap<FeedDay>(MAX_FEED_DAYS);
  const getFeedDay = (exchange: string, day: Day): FeedDay | undefined => {
    const record = options.exchanges.find(({ id }) => id === exchange);
    if (record === undefined || MESSAGE_WRITERS[exchange] === undefined) return undefined;
    const key = `${exchange} ${day}`;
    const cached = days.get(key);
    if (cached) return cached;
    const created = {
      markets: listMarkets(record, day),
      disconnects: generateDisconnects(exchange, day, options, options.breaks),
    };
    days.set(key, created);
    return created;
  };
  const getLines = createLineSource(
    (market, day) =>
      generateMarketLines(market, day, options, getFeedDay(market.exchange, day)?.disconnects.added ?? []),
    options.maxCachedCharacters ?? MAX_CACHED_CHARACTERS,
  );
  return {
    minute(exchange, filters, minute) {
      const feedDay = getFeedDay(exchange, Math.floor(minute / MINUTES_PER_DAY) as Day);
      if (feedDay === undefined) return undefined;
      const { markets, disconnects } = feedDay;
      const lines = markets
        .filter((market) => mayBeSelected(market, filters))
        .flatMap((market) => getLines(market, minute))
        .filter((line) => isSelected(line, filters));
      // Two empty lines: a feed that takes long to reconnect leaves them.
      const disconnectLines = disconnects.all
        .filter((time) => Math.floor(time / US_PER_MINUTE) === minute)
        .map((localTimestamp) => ({ localTimestamp, text: '\n\n' }));
      const sorted = [...disconnectLines, ...lines].sort((a, b) => a.localTimestamp - b.localTimestamp);
      // The collector reconnects at midnight.
      const isLast = minute % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
      return sorted.map(({ text }) => text).join('') + (isLast ? '\n' : '');
    },
  };
}

/** The disconnects of a collector from an exchange on a UTC day, in order. */
interface DayDisconnects {
  /** Local times of all disconnects, in microseconds. */
  readonly all: readonly number[];
  /** Disconnects that are not part of the simulation, so that day files do not show them. */
  readonly added: readonly number[];
}

/** @param share share of the minutes with an added disconnect. */
function generateDisconnects(exchange: string, day: Day, size: MarketSize, share: number): DayDisconnects {
  const added: number[] = [];
  for (let i = 0; share > 0 && i < MINUTES_PER_DAY; i++) {
    const minute = day * MINUTES_PER_DAY + i;
    const random = seededRandom(size.seed, 'breaks', exchange, minute);
    if (random.chance(share)) added.push(minute * US_PER_MINUTE + random.int(US_PER_MINUTE));
  }
  const lost = findConnectionLoss(exchange, day, size);
  const all = lost === undefined ? added : [...added, lost].sort((a, b) => a - b);
  return { all, added };
}

/** Maximum number of market days that are being read. */
const MAX_DAY_READERS = 256;

/**
 * Returns a function that gives the lines of a market and minute. Minutes may be requested in any order. Consecutive
 * minutes of a day are generated in one pass; a minute that was evicted is generated again from midnight on.
 * @param generateLines generates the lines of a market's day.
 * @param maxCharacters capacity of the cache.
 */
export function createLineSource(
  generateLines: (market: FeedMarket, day: Day) => Generator<FeedLine, undefined>,
  maxCharacters: number,
): (market: FeedMarket, minute: number) => readonly FeedLine[] {
  const cache = new LruMap<readonly FeedLine[]>(maxCharacters, countCharacters);
  const readers = new LruMap<DayLineReader>(MAX_DAY_READERS);
  const getReader = (market: FeedMarket, name: string, minute: number): DayLineReader => {
    const day = Math.floor(minute / MINUTES_PER_DAY) as Day;
    const key = `${name} ${day}`;
    const current = readers.get(key);
    const mustRestart = current === undefined || current.minute > minute;
    const reader = mustRestart
      ? new DayLineReader(generateLines(market, day), day * MINUTES_PER_DAY)
      : current;
    readers.set(key, reader);
    return reader;
  };
  return (market, minute) => {
    const name = `${market.exchange} ${market.symbol}`;
    const cached = cache.get(`${name} ${minute}`);
    if (cached) return cached;
    const reader = getReader(market, name, minute);
    while (reader.minute < minute) cache.set(`${name} ${reader.minute}`, reader.readMinute());
    const lines = reader.readMinute();
    cache.set(`${name} ${minute}`, lines);
    return lines;
  };
}

/** Approximate memory of a line besides its text, in characters. */
const LINE_OVERHEAD = 100;

function countCharacters(lines: readonly FeedLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + LINE_OVERHEAD, LINE_OVERHEAD);
}

/** Reads the lines of a day minute by minute. */
class DayLineReader {
  readonly #lines: Iterator<FeedLine, undefined>;
  #next: FeedLine | undefined;

  /** @param minute the first minute to read, since the epoch. */
  constructor(
    lines: Generator<FeedLine, undefined>,
    public minute: number,
  ) {
    this.#lines = lines;
    this.#next = lines.next().value;
  }

  /** The lines of `minute`, which is then increased. */
  readMinute(): readonly FeedLine[] {
    this.minute++;
    const end = this.minute * US_PER_MINUTE;
    const lines: FeedLine[] = [];
    while (this.#next !== undefined && this.#next.localTimestamp < end) {
      lines.push(this.#next);
      this.#next = this.#lines.next().value;
    }
    return lines;
  }
}

/**
 * Generates the lines of a market's day as its exchange sends them, from the same events as its day files. A new
 * connection starts with the whole book.
 * @param disconnects local times of disconnects that are not part of the simulation.
 */
function* generateMarketLines(
  market: FeedMarket,
  day: Day,
  size: MarketSize,
  disconnects: readonly number[],
): Generator<FeedLine, undefined> {
  const { exchange, symbol, eventTypes } = market;
  const instrument = createSyntheticInstrument(exchange, symbol, size.seed, day);
  const format = createFeedLineWriter();
  let writer = createNativeWriter(exchange);
  const events = eventTypes.has('option_summary')
    ? simulateOptionsChain(instrument, day, size)
    : insertBestPrices(insertDisconnects(simulateMarket(instrument, day, size), disconnects), instrument);
  for (const event of events) {
    if (event.type === 'disconnect') writer = createNativeWriter(exchange);
    else if (eventTypes.has(event.type)) {
      for (const { channel, symbol, localTimestamp, message } of writer?.write(event) ?? [])
        yield { localTimestamp, channel, symbol, text: format(localTimestamp, JSON.stringify(message)) };
    }
  }
  return undefined;
}

/** Inserts the best prices after each change of them. */
function* insertBestPrices(
  events: Iterable<MarketEvent>,
  instrument: SyntheticInstrument,
): Generator<MarketEvent> {
  let best: EventOf<'book_ticker'> | undefined;
  const trackBook = createBookStateTracker(instrument, 1, ({ asks, bids, timestamp, localTimestamp }) => {
    const [askPrice, askAmount] = [asks.prices[0], asks.amounts[0]];
    const [bidPrice, bidAmount] = [bids.prices[0], bids.amounts[0]];
    const prices = { askAmount, askPrice, bidPrice, bidAmount };
    best = { type: 'book_ticker', symbol: instrument.symbol, ...prices, timestamp, localTimestamp };
  });
  for (const event of events) {
    yield event;
    if (event.type !== 'book_change') continue;
    best = undefined;
    trackBook(event);
    if (best !== undefined) yield best;
  }
}

/** Inserts disconnects into the events. A snapshot of the book follows each, unless the next event is one. */
function* insertDisconnects(
  events: Iterable<MarketEvent>,
  disconnects: readonly number[],
): Generator<MarketEvent> {
  const book = new WholeBook();
  let next = 0;
  let symbol = '';
  let timestamp = 0;
  for (const event of events) {
    for (; (disconnects[next] ?? Number.POSITIVE_INFINITY) <= event.localTimestamp; next++) {
      const localTimestamp = disconnects[next] ?? 0;
      yield { type: 'disconnect', localTimestamp };
      if (event.type === 'book_change' && event.isSnapshot) continue;
      yield { type: 'book_change', symbol, timestamp, localTimestamp, isSnapshot: true, ...book.levels() };
    }
    if (event.type === 'book_change' && disconnects.length > 0) book.apply(event);
    if (event.type !== 'disconnect') ({ symbol, timestamp } = event);
    yield event;
  }
}

/** The current book, to send it as a snapshot. */
class WholeBook {
  readonly #asks = new Map<number, number>();
  readonly #bids = new Map<number, number>();

  apply({ isSnapshot, asks, bids }: EventOf<'book_change'>): void {
    if (isSnapshot) {
      this.#asks.clear();
      this.#bids.clear();
    }
    applyLevels(this.#asks, asks);
    applyLevels(this.#bids, bids);
  }

  /** Best first. */
  levels(): Pick<EventOf<'book_change'>, 'asks' | 'bids'> {
    return {
      asks: listLevels(this.#asks).sort((a, b) => a.price - b.price),
      bids: listLevels(this.#bids).sort((a, b) => b.price - a.price),
    };
  }
}

function applyLevels(side: Map<number, number>, levels: readonly PriceLevel[]): void {
  for (const { price, amount } of levels) {
    if (amount === 0) side.delete(price);
    else side.set(price, amount);
  }
}

function listLevels(side: ReadonlyMap<number, number>): PriceLevel[] {
  return [...side].map(([price, amount]) => ({ price, amount }));
}
