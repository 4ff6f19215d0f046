import { type Day, US_PER_DAY } from '../../day-files/day.js';
import type { PriceLevel } from '../../market/messages.js';
import { MarketClock } from './market-clock.js';
import type { EventOf, MarketEvent, MarketSize, TickerEvent } from './market-event.js';
import { type Random, seededRandom } from './seeded-random.js';
import { type LevelChange, MAX_LEVEL_CHANGES, SyntheticBook } from './synthetic-book.js';
import { createTradeIds, type SyntheticInstrument } from './synthetic-instrument.js';

const DEPTH = 25;
/** Mean number of rows of a step of the book and its trades. */
const ROWS_PER_STEP = 3.4;
/** Share of those steps that are orders. */
const ORDER_SHARE = 0.55;
const MAX_FILLS = 7;
/** Share of the orders that fill the whole best level. */
const WHOLE_LEVEL_SHARE = 0.3;
/** Share of the other changes in which the best level is withdrawn. */
const WITHDRAWN_SHARE = 0.15;
/** Share of the trades without a side, at exchanges that do not provide all sides. */
const UNKNOWN_SIDE_SHARE = 0.005;
/** Mean number of steps of the book while the collector is disconnected. */
const UNSEEN_STEPS = 40;

/**
 * Simulates a day of one market: the same events for the same instrument, day and size. The whole book is sent at the
 * start of the day and after a lost connection, and its changes otherwise. Memory is constant for any number of rows.
 * @param type only these events, the same as among all: most of the time goes into writing events that nobody reads.
 */
export function* simulateMarket(
  instrument: SyntheticInstrument,
  day: Day,
  size: MarketSize,
  type?: MarketEvent['type'],
): Generator<MarketEvent> {
  if (size.rows > 0) yield* new MarketDay(instrument, day, size, type).events();
}

class MarketDay {
  readonly #instrument: SyntheticInstrument;
  readonly #onlyType: MarketEvent['type'] | undefined;
  /** Events of the current step that are not yet yielded. */
  readonly #events: MarketEvent[] = [];
  readonly #random: Random;
  readonly #clock: MarketClock;
  readonly #book: SyntheticBook;
  readonly #ticker: SyntheticTicker;
  readonly #nextTradeId: () => string;
  readonly #nextLiquidationId: () => string;
  /** Remaining rows by kind. */
  readonly #remaining: { trades: number; levels: number; tickers: number; liquidations: number };
  /** Local time at which the connection is lost; undefined if no loss follows. */
  #lossTime: number | undefined;
  /** Steps of the book during the loss. */
  readonly #unseenSteps: number;
  #lastTicks: number | undefined;

  constructor(
    instrument: SyntheticInstrument,
    day: Day,
    size: MarketSize,
    onlyType: MarketEvent['type'] | undefined,
  ) {
    this.#onlyType = onlyType;
    const { exchange, symbol, ids, liquidationIds } = instrument;
    const { rows, seed } = size;
    const random = seededRandom(seed, 'market', exchange, symbol, day);
    const depth = Math.max(1, Math.min(DEPTH, Math.floor(rows / 4)));
    this.#remaining = { trades: rows, levels: Math.max(rows, 2 * depth), tickers: rows, liquidations: rows };
    this.#lossTime = findConnectionLoss(exchange, day, size);
    this.#unseenSteps = this.#lossTime === undefined ? 0 : Math.floor(UNSEEN_STEPS * (0.5 + random.next()));
    this.#instrument = instrument;
    this.#random = random;
    // The first snapshot comes at once and has no share of the day: nothing would happen in it.
    const sharedRows = 3 * rows + this.#remaining.levels - 2 * depth;
    this.#clock = new MarketClock(day, sharedRows, instrument.resolution, random);
    this.#book = new SyntheticBook(instrument.openTicks, depth, random);
    this.#ticker = new SyntheticTicker(instrument, random);
    this.#nextTradeId = createTradeIds(ids, random);
    this.#nextLiquidationId = createTradeIds(liquidationIds, random);
  }

  *events(): Generator<MarketEvent> {
    const remaining = this.#remaining;
    this.#clock.follow(0);
    this.#changeBook(this.#book.snapshot(), true);
    while (remaining.trades + remaining.levels + remaining.tickers + remaining.liquidations > 0) {
      const lossTime = this.#lossTime ?? Number.POSITIVE_INFINITY;
      if (this.#clock.estimateLocal(MAX_FILLS + MAX_LEVEL_CHANGES) > lossTime) this.#disconnect(lossTime);
      this.#step();
      if (this.#events.length === 0) continue;
      yield* this.#events;
      this.#events.length = 0;
    }
    yield* this.#events;
  }

  #isWanted(type: MarketEvent['type']): boolean {
    return this.#onlyType === undefined || this.#onlyType === type;
  }

  /** The next events. All kinds run out at about the same time. */
  #step(): void {
    const { trades, levels, tickers, liquidations } = this.#remaining;
    const draw = this.#random.next() * (tickers + liquidations + (trades + levels) / ROWS_PER_STEP);
    if (draw < tickers) this.#tick();
    else if (draw < tickers + liquidations) this.#liquidate();
    // More trades than levels left makes an order more likely, so that both run out together.
    else if (this.#random.chance(ORDER_SHARE * (trades / levels) ** 2)) {
      const order = this.#order(Math.min(trades, MAX_FILLS));
      this.#clock.advance(order.fills.length);
      this.#execute(order);
    } else {
      const isWithdrawn = levels >= MAX_LEVEL_CHANGES && this.#random.chance(WITHDRAWN_SHARE);
      const changes = isWithdrawn ? this.#book.move(this.#drawWeakerSide()) : this.#book.resize();
      this.#clock.advance(changes.length);
      this.#changeBook(changes);
    }
  }

  #order(maxFills: number): Order {
    const isAsk = this.#drawWeakerSide();
    const { lots } = this.#book.best(isAsk);
    const filledLots = this.#random.chance(WHOLE_LEVEL_SHARE)
      ? lots
      : 1 + Math.floor((lots - 1) * this.#random.next() ** 2);
    return { isAsk, lots: filledLots, fills: this.#fills(filledLots, 1 + this.#random.int(maxFills)) };
  }

  #fills(lots: number, maxFills: number): readonly Fill[] {
    const fills: Fill[] = [];
    for (let remaining = lots; remaining > 0; remaining -= fills.at(-1)?.lots ?? 0) {
      const fillLots = fills.length === maxFills - 1 ? remaining : 1 + this.#random.int(remaining);
      fills.push({ id: this.#nextTradeId(), lots: fillLots });
    }
    return fills;
  }

  /** The trades of an order, and the resulting change of the book. */
  #execute({ isAsk, lots, fills }: Order): void {
    const { ticks, lots: availableLots } = this.#book.best(isAsk);
    this.#remaining.trades -= fills.length;
    this.#lastTicks = ticks;
    const isUnknown = this.#instrument.hasUnknownSides && this.#random.chance(UNKNOWN_SIDE_SHARE);
    const side = isUnknown ? 'unknown' : isAsk ? 'buy' : 'sell';
    for (const fill of fills) this.#trade('trade', fill, ticks, side);
    // If the day has no levels left for the change, the order was filled by a hidden order.
    if (this.#remaining.levels < (lots === availableLots ? MAX_LEVEL_CHANGES : 1)) return;
    const changes = lots === availableLots ? this.#book.move(isAsk) : this.#book.reduce(isAsk, lots);
    this.#clock.follow(changes.length);
    this.#changeBook(changes);
  }

  /** Draws whether the asks give way next. A price far from its opening is more likely to return. */
  #drawWeakerSide(): boolean {
    const { openTicks } = this.#instrument;
    return this.#random.chance(0.5 + (openTicks - this.#book.best(false).ticks) / openTicks);
  }

  #changeBook(levels: readonly LevelChange[], isSnapshot = false): void {
    this.#remaining.levels -= levels.length;
    if (!this.#isWanted('book_change')) return;
    const { symbol, ticksPerUnit, lotsPerUnit } = this.#instrument;
    const { timestamp, localTimestamp } = this.#clock;
    const bids: PriceLevel[] = [];
    const asks: PriceLevel[] = [];
    for (const { isAsk, ticks, lots } of levels)
      (isAsk ? asks : bids).push({ price: ticks / ticksPerUnit, amount: lots / lotsPerUnit });
    this.#events.push({ type: 'book_change', symbol, timestamp, localTimestamp, isSnapshot, bids, asks });
  }

  #tick(): void {
    this.#remaining.tickers--;
    this.#clock.advance(1);
    this.#ticker.step();
    if (this.#isWanted('derivative_ticker'))
      this.#events.push(this.#ticker.message(this.#clock, this.#book.best(false).ticks, this.#lastTicks));
  }

  #liquidate(): void {
    this.#remaining.liquidations--;
    this.#clock.advance(1);
    const isAsk = this.#random.chance(0.5);
    const id = this.#nextLiquidationId();
    const fill = { id, lots: 1 + Math.floor(5000 * this.#random.next() ** 5) };
    this.#trade('liquidation', fill, this.#book.best(isAsk).ticks, isAsk ? 'buy' : 'sell');
  }

  /** Changes the book unseen, then sends it as a snapshot. */
  #disconnect(localTimestamp: number): void {
    this.#lossTime = undefined;
    if (this.#isWanted('disconnect')) this.#events.push({ type: 'disconnect', localTimestamp });
    for (let i = 0; i < this.#unseenSteps; i++) {
      if (this.#random.chance(0.5)) this.#book.move(this.#drawWeakerSide());
      else this.#book.resize();
    }
    this.#ticker.connect();
    this.#clock.advance(2 * this.#book.depth);
    this.#changeBook(this.#book.snapshot(), true);
  }

  #trade(
    type: 'trade' | 'liquidation',
    { id, lots }: Fill,
    ticks: number,
    side: EventOf<'trade'>['side'],
  ): void {
    if (!this.#isWanted(type)) return;
    const { symbol, ticksPerUnit, lotsPerUnit } = this.#instrument;
    const { timestamp, localTimestamp } = this.#clock;
    this.#events.push({
      type,
      symbol,
      timestamp,
      localTimestamp,
      id: id === '' ? undefined : id,
      price: ticks / ticksPerUnit,
      amount: lots / lotsPerUnit,
      side,
    });
  }
}

interface Fill {
  /** Empty if the exchange provides none. */
  readonly id: string;
  readonly lots: number;
}

/** An order that is filled at the best ask or bid, with at most the lots of that level. */
interface Order {
  readonly isAsk: boolean;
  readonly lots: number;
  readonly fills: readonly Fill[];
}

/** With fewer rows, a day has no room for a second snapshot of the book. */
const MIN_ROWS = 500;

/**
 * Local time at which the collector loses its connection to an exchange: once per day around noon, for all symbols at
 * once, since they share the connection.
 * @returns microseconds; undefined for days with few rows, which have no loss.
 */
export function findConnectionLoss(
  exchange: string,
  day: Day,
  { rows, seed }: MarketSize,
): number | undefined {
  if (rows < MIN_ROWS) return undefined;
  const share = 0.3 + 0.3 * seededRandom(seed, 'connection', exchange, day).next();
  return Math.floor((day + share) * US_PER_DAY);
}

const FUNDING_INTERVAL_US = 8 * 3_600_000_000;
/** Exchanges send changed values only, so that the first tickers of a connection lack the last price. */
const TICKERS_WITHOUT_LAST_PRICE = 2;

/** Generates tickers of a derivative. Some exchanges provide no funding time or predicted rate. */
class SyntheticTicker {
  #fundingRate: number;
  #openInterest: number;
  #sinceConnect = 0;
  /** Ticks of the next message above the best bid. */
  #indexTicks = 0;
  #markTicks = 0;

  constructor(
    readonly instrument: SyntheticInstrument,
    readonly random: Random,
  ) {
    this.#fundingRate = (random.next() - 0.3) * 0.0004;
    this.#openInterest = 1_000_000 + random.int(500_000_000);
  }

  connect(): void {
    this.#sinceConnect = 0;
  }

  /** Draws the values of the next message. */
  step(): void {
    const { random } = this;
    this.#fundingRate += (random.next() - 0.5) * 1e-6;
    this.#openInterest = Math.max(1000, this.#openInterest + (random.int(201) - 100) * 10);
    this.#indexTicks = random.int(7) - 3;
    this.#markTicks = random.next();
    this.#sinceConnect++;
  }

  /** @param clock clock at the time of the message. */
  message(clock: MarketClock, bidTicks: number, lastTicks: number | undefined): TickerEvent {
    const { exchange, symbol, ticksPerUnit } = this.instrument;
    // Every format has its values from this text, so that they are equal.
    const cells = {
      fundingRate: this.#fundingRate.toFixed(20),
      predictedFundingRate: exchange === 'bitmex' ? (this.#fundingRate / 2).toFixed(9) : '',
    };
    const lastPriceTicks = this.#sinceConnect > TICKERS_WITHOUT_LAST_PRICE ? lastTicks : undefined;
    const indexPrice = (bidTicks + this.#indexTicks) / ticksPerUnit;
    const markPrice = ((bidTicks + this.#markTicks) / ticksPerUnit).toFixed(8);
    return {
      type: 'derivative_ticker',
      symbol,
      timestamp: clock.timestamp,
      localTimestamp: clock.localTimestamp,
      fundingTimestamp:
        exchange === 'deribit' || exchange === 'lighter'
          ? undefined
          : Math.ceil(clock.localTimestamp / FUNDING_INTERVAL_US) * FUNDING_INTERVAL_US,
      fundingRate: Number(cells.fundingRate),
      predictedFundingRate:
        cells.predictedFundingRate === '' ? undefined : Number(cells.predictedFundingRate),
      openInterest: this.#openInterest,
      lastPrice: lastPriceTicks === undefined ? undefined : lastPriceTicks / ticksPerUnit,
      indexPrice,
      markPrice: Number(markPrice),
      cells: { ...cells, markPrice },
    };
  }
}
