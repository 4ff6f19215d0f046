import type { TradeBarType } from './message-type-name.js';
import type { Instrument } from './messages.js';

/** Codes of the side that took liquidity. */
export const TRADE_SIDE = { unknown: 0, buy: 1, sell: 2 } as const;

/** A complete bar. The object is reused, so copy it to keep it. Times are microseconds. */
export interface TradeBar {
  readonly type: TradeBarType;
  readonly instrument: Instrument;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly buyVolume: number;
  readonly sellVolume: number;
  readonly trades: number;
  /** Volume-weighted average price; NaN if the bar began with trades of amount 0, or has none. */
  readonly vwap: number;
  /** Times of the first and the last trade; NaN for a bar without trades. */
  readonly openTimestamp: number;
  readonly closeTimestamp: number;
  /**
   * The end of the interval, or its start (`BarRules`); for tick and volume bars the time of the last trade, ignoring late
   * trades.
   */
  readonly timestamp: number;
  readonly localTimestamp: number;
  /**
   * Number of intervals in a row without trades that have this bar, each with its own `timestamp`; this is the first. 1 for
   * a bar of trades.
   */
  readonly intervals: number;
  /** Whether these times have microseconds in lines. */
  readonly openMicros: boolean;
  readonly closeMicros: boolean;
  readonly micros: boolean;
}

/** A period in microseconds; `end` is exclusive. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The last close of a day, with which the bars of the next day begin. */
export interface LastClose {
  readonly close: number;
  /** Local time of the last trade, in microseconds. */
  readonly localTimestamp: number;
}

/**
 * Trade bars of one exchange and symbol (docs/spec/computed-data.md#trade-bars). The order of the arithmetic
 * is part of the rules: the same trades give the same doubles everywhere.
 */
export class TradeBars implements TradeBar {
  open = 0;
  high = 0;
  low = 0;
  close = 0;
  volume = 0;
  buyVolume = 0;
  sellVolume = 0;
  trades = 0;
  vwap = 0;
  openTimestamp = 0;
  closeTimestamp = 0;
  timestamp = 0;
  localTimestamp = 0;
  openMicros = false;
  closeMicros = false;
  micros = false;
  intervals = 1;
  readonly #emit: (bar: TradeBar) => void;
  readonly #day: Period | undefined;
  /** The end of the interval of the current bar, or of the last one, in whole milliseconds. */
  #end = 0;
  /** Whether `close` is that of an earlier bar. */
  #hasClose = false;

  /**
   * @param day set for trades of a day file. Trades before the day count as at its start, and trades after it
   * as in its last millisecond (docs/spec/computed-data.md#day-files).
   * @param previous the last close before the day, if intervals without trades are filled from its start on.
   */
  constructor(
    readonly type: TradeBarType,
    readonly instrument: Instrument,
    emit: (bar: TradeBar) => void,
    day?: Period,
    previous?: LastClose,
  ) {
    this.#emit = emit;
    this.#day = day;
    if (!day || !previous) return;
    this.close = previous.close;
    this.localTimestamp = previous.localTimestamp;
    this.#hasClose = true;
    this.#end = Math.ceil(day.start / 1000 / type.interval) * type.interval;
  }

  /** The last close; undefined before the first bar. Call it after `end`. */
  get lastClose(): LastClose | undefined {
    const { close, localTimestamp } = this;
    return this.#hasClose ? { close, localTimestamp } : undefined;
  }

  /**
   * Adds a trade.
   * @param side a value of `TRADE_SIDE`.
   * @param timestamp the exchange time, in microseconds.
   * @param micros whether this time has microseconds in lines.
   */
  add(
    price: number,
    amount: number,
    side: number,
    timestamp: number,
    localTimestamp: number,
    micros: boolean,
  ): void {
    const { bar, interval, fill } = this.type;
    if (bar === 'time') {
      const ms = this.#limitToDayMs(timestamp);
      if (this.trades > 0 && ms >= this.#end) this.#emitBar(localTimestamp);
      if (this.trades === 0) {
        const end = (Math.floor(ms / interval) + 1) * interval;
        if (fill) this.#fillUntil(end - interval, localTimestamp);
        this.#end = end;
      }
    }
    if (this.trades === 0) this.#startBar(price, timestamp, micros);
    if (price > this.high) this.high = price;
    if (price < this.low) this.low = price;
    if (Math.floor(timestamp / 1000) >= Math.floor(this.closeTimestamp / 1000)) {
      this.close = price;
      this.closeTimestamp = timestamp;
      this.closeMicros = micros;
    }
    if (side === TRADE_SIDE.buy) this.buyVolume += amount;
    else if (side === TRADE_SIDE.sell) this.sellVolume += amount;
    this.trades++;
    this.vwap = (this.vwap * this.volume + price * amount) / (this.volume + amount);
    this.volume += amount;
    this.localTimestamp = localTimestamp;
    if (bar === 'time') return;
    if ((bar === 'tick' ? this.trades : this.volume) >= interval) this.#emitBar(localTimestamp);
  }

  /**
   * Emits the open bar, with the local time of its last trade, and fills the rest of the day. For day files only; a replay
   * never emits it.
   */
  end(): void {
    if (this.trades > 0) this.#emitBar(this.localTimestamp);
    if (this.type.fill && this.#day) this.#fillUntil(this.#day.end / 1000, this.localTimestamp);
  }

  /** Emits the intervals without trades that begin before a time, in whole milliseconds. */
  #fillUntil(untilMs: number, localTimestamp: number): void {
    const { interval } = this.type;
    const count = Math.ceil((untilMs - this.#end) / interval);
    if (!this.#hasClose || count <= 0) return;
    this.#startBar(this.close, Number.NaN, false);
    this.vwap = Number.NaN;
    this.intervals = count;
    this.#end += interval;
    this.#emitBar(localTimestamp);
    this.intervals = 1;
    this.#end += (count - 1) * interval;
  }

  #startBar(price: number, timestamp: number, micros: boolean): void {
    this.open = price;
    this.high = price;
    this.low = price;
    this.openTimestamp = timestamp;
    this.openMicros = micros;
    this.closeTimestamp = timestamp;
    this.volume = 0;
    this.buyVolume = 0;
    this.sellVolume = 0;
    this.vwap = 0;
  }

  #emitBar(localTimestamp: number): void {
    const { bar, interval, barTime } = this.type;
    const isTime = bar === 'time';
    const edge = barTime === 'open' ? this.#end - interval : this.#end;
    this.timestamp = isTime ? edge * 1000 : this.closeTimestamp;
    this.micros = !isTime && this.closeMicros;
    this.localTimestamp = localTimestamp;
    this.#emit(this);
    this.#hasClose = true;
    this.trades = 0;
  }

  /** Whole milliseconds, limited to the day if there is one. */
  #limitToDayMs(timestamp: number): number {
    const day = this.#day;
    if (day && timestamp < day.start) return day.start / 1000;
    return Math.floor((day && timestamp >= day.end ? day.end - 1 : timestamp) / 1000);
  }
}
