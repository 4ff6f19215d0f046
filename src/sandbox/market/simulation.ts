import type { Day } from '../../dataset/day.js';
import { Book, type LevelChange, MOST_CHANGES } from './book.js';
import { Clock } from './clock.js';
import { connectionLostAt } from './connection.js';
import type { Fill, MarketEvent } from './events.js';
import type { Instrument } from './instrument.js';
import { type Random, seededRandom } from './random.js';
import type { MarketSize } from './size.js';
import { Ticker } from './ticker.js';
import { tradeIds } from './trade-ids.js';

const DEPTH = 25;
/** Rows that a step of the book and its trades has, a mean. */
const ROWS_A_STEP = 3.4;
/** Share of such steps that are orders. */
const ORDERS = 0.55;
const MOST_FILLS = 7;
/** Share of the orders that take the whole best level. */
const WHOLE_LEVEL = 0.3;
/** Share of the other changes in which the best level is taken back. */
const TAKEN_BACK = 0.15;
/** Share of the trades whose side isn't told, where an exchange doesn't tell all. */
const UNKNOWN_SIDE = 0.005;
/** Steps of the book while nobody is connected, a mean. */
const UNSEEN_STEPS = 40;

/**
 * A day of one made-up market: the same events for the same instrument, day and size. The book is sent whole at the
 * day's start and where a lost connection was made again, and then by its changes. Any number of rows takes the same
 * memory.
 */
export function* simulate(instrument: Instrument, day: Day, size: MarketSize): Generator<MarketEvent> {
  if (size.rows > 0) yield* new MarketDay(instrument, day, size).events();
}

class MarketDay {
  readonly #instrument: Instrument;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #book: Book;
  readonly #ticker: Ticker;
  readonly #nextTradeId: () => string;
  readonly #nextLiquidationId: () => string;
  /** Rows that are still to come. */
  readonly #left: { trades: number; levels: number; tickers: number; liquidations: number };
  /** Local time of the lost connection; none is to come where it is undefined. */
  #lostAt: number | undefined;
  /** Steps of the book that nobody sees then. */
  readonly #unseenSteps: number;
  #lastTicks: number | undefined;

  constructor(instrument: Instrument, day: Day, size: MarketSize) {
    const { exchange, symbol, ids, liquidationIds } = instrument;
    const { rows, seed } = size;
    const random = seededRandom(seed, 'market', exchange, symbol, day);
    const depth = Math.max(1, Math.min(DEPTH, Math.floor(rows / 4)));
    this.#left = { trades: rows, levels: Math.max(rows, 2 * depth), tickers: rows, liquidations: rows };
    this.#lostAt = connectionLostAt(exchange, day, size);
    this.#unseenSteps = this.#lostAt === undefined ? 0 : Math.floor(UNSEEN_STEPS * (0.5 + random.next()));
    this.#instrument = instrument;
    this.#random = random;
    // The first snapshot comes at once: it has no share of the day, in which nothing would happen.
    this.#clock = new Clock(day, 3 * rows + this.#left.levels - 2 * depth, instrument.resolution, random);
    this.#book = new Book(instrument.openTicks, depth, random);
    this.#ticker = new Ticker(instrument, random);
    this.#nextTradeId = tradeIds(ids, random);
    this.#nextLiquidationId = tradeIds(liquidationIds, random);
  }

  *events(): Generator<MarketEvent> {
    const left = this.#left;
    this.#clock.follow(0);
    yield this.#bookChange(this.#book.snapshot(), true);
    while (left.trades + left.levels + left.tickers + left.liquidations > 0) {
      const lostAt = this.#lostAt ?? Number.POSITIVE_INFINITY;
      if (this.#clock.by(MOST_FILLS + MOST_CHANGES) > lostAt) yield* this.#disconnect(lostAt);
      yield* this.#step();
    }
  }

  /** What comes next. All kinds are at their end at about the same time. */
  #step(): readonly MarketEvent[] {
    const { trades, levels, tickers, liquidations } = this.#left;
    const dice = this.#random.next() * (tickers + liquidations + (trades + levels) / ROWS_A_STEP);
    if (dice < tickers) return [this.#tick()];
    if (dice < tickers + liquidations) return [this.#liquidate()];
    // The more trades are still to come than levels, the likelier an order is: so both are at their end together.
    if (this.#random.chance(ORDERS * (trades / levels) ** 2)) {
      const order = this.#order(Math.min(trades, MOST_FILLS));
      this.#clock.advance(order.fills.length);
      return this.#execute(order);
    }
    const takenBack = levels >= MOST_CHANGES && this.#random.chance(TAKEN_BACK);
    const changes = takenBack ? this.#book.move(this.#sideThatGivesWay()) : this.#book.resize();
    this.#clock.advance(changes.length);
    return [this.#bookChange(changes)];
  }

  #order(mostFills: number): Order {
    const isAsk = this.#sideThatGivesWay();
    const { lots } = this.#book.best(isAsk);
    const taken = this.#random.chance(WHOLE_LEVEL)
      ? lots
      : 1 + Math.floor((lots - 1) * this.#random.next() ** 2);
    return { isAsk, lots: taken, fills: this.#fills(taken, 1 + this.#random.int(mostFills)) };
  }

  #fills(lots: number, most: number): readonly Fill[] {
    const fills: Fill[] = [];
    for (let left = lots; left > 0; left -= fills.at(-1)?.lots ?? 0) {
      const part = fills.length === most - 1 ? left : 1 + this.#random.int(left);
      fills.push({ id: this.#nextTradeId(), lots: part });
    }
    return fills;
  }

  /** The trades of an order, and what they make of the book. */
  #execute({ isAsk, lots, fills }: Order): readonly MarketEvent[] {
    const { ticks, lots: offered } = this.#book.best(isAsk);
    this.#left.trades -= fills.length;
    this.#lastTicks = ticks;
    const isUnknown = this.#instrument.hasUnknownSides && this.#random.chance(UNKNOWN_SIDE);
    const side = isUnknown ? 'unknown' : isAsk ? 'buy' : 'sell';
    const trades: MarketEvent = { kind: 'trades', ...this.#times(), side, ticks, fills };
    // Where the day has no levels left to tell of it, a hidden order is what was taken.
    if (this.#left.levels < (lots === offered ? MOST_CHANGES : 1)) return [trades];
    const changes = lots === offered ? this.#book.move(isAsk) : this.#book.reduce(isAsk, lots);
    this.#clock.follow(changes.length);
    return [trades, this.#bookChange(changes)];
  }

  /** Which side gives way next. The further the price is from where it opened, the likelier it turns. */
  #sideThatGivesWay(): boolean {
    const { openTicks } = this.#instrument;
    return this.#random.chance(0.5 + (openTicks - this.#book.best(false).ticks) / openTicks);
  }

  #bookChange(levels: readonly LevelChange[], isSnapshot = false): MarketEvent {
    this.#left.levels -= levels.length;
    return { kind: 'book_change', ...this.#times(), isSnapshot, levels };
  }

  #tick(): MarketEvent {
    this.#left.tickers--;
    this.#clock.advance(1);
    return this.#ticker.next(this.#clock, this.#book.best(false).ticks, this.#lastTicks);
  }

  #liquidate(): MarketEvent {
    this.#left.liquidations--;
    this.#clock.advance(1);
    const isAsk = this.#random.chance(0.5);
    return {
      kind: 'liquidation',
      ...this.#times(),
      id: this.#nextLiquidationId(),
      side: isAsk ? 'buy' : 'sell',
      ticks: this.#book.best(isAsk).ticks,
      lots: 1 + Math.floor(5000 * this.#random.next() ** 5),
    };
  }

  /** The book goes on unseen; then it is there again as a whole. */
  *#disconnect(localTimestamp: number): Generator<MarketEvent> {
    this.#lostAt = undefined;
    yield { kind: 'disconnect', localTimestamp };
    for (let i = 0; i < this.#unseenSteps; i++) {
      if (this.#random.chance(0.5)) this.#book.move(this.#sideThatGivesWay());
      else this.#book.resize();
    }
    this.#ticker.connect();
    this.#clock.advance(2 * this.#book.depth);
    yield this.#bookChange(this.#book.snapshot(), true);
  }

  #times(): { readonly timestamp: number; readonly localTimestamp: number } {
    return { timestamp: this.#clock.timestamp, localTimestamp: this.#clock.local };
  }
}

/** An order that takes from the best asks or bids: not more than the first level has. */
interface Order {
  readonly isAsk: boolean;
  readonly lots: number;
  readonly fills: readonly Fill[];
}
