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
  /** Volume-weighted average price; NaN if the bar began with trades of amount 0. */
  readonly vwap: number;
  readonly openTimestamp: number;
  readonly closeTimestamp: number;
  /** The end of the interval; for tick and volume bars the time of the last trade, ignoring late trades. */
  readonly timestamp: number;
  readonly localTimestamp: number;
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
  readonly #emit: (bar: TradeBar) => void;
  readonly #day: Period | undefined;
  /** The end of the current bar's interval, in whole milliseconds. */
  #end = 0;

  /**
   * @param day set for trades of a day file. Trades before the day count as at its start, and trades after it
   * as in its last millisecond (docs/spec/computed-data.md#day-files).
   */
  constructor(
    readonly type: TradeBarType,
    readonly instrument: Instrument,
    emit: (bar: TradeBar) => void,
    day?: Period,
  ) {
    this.#emit = emit;
    this.#day = day;
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
    const { bar, interval } = this.type;
    if (bar === 'time') {
      const ms = this.#limitToDayMs(timestamp);
      if (this.trades > 0 && ms >= this.#end) this.#emitBar(localTimestamp);
      if (this.trades === 0) this.#end = (Math.floor(ms / interval) + 1) * interval;
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
   * Emits the open bar, with the local time of its last trade. For day files only; a replay never emits it.
   */
  end(): void {
    if (this.trades > 0) this.#emitBar(this.localTimestamp);
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
    const isTime = this.type.bar === 'time';
    this.timestamp = isTime ? this.#end * 1000 : this.closeTimestamp;
    this.micros = !isTime && this.closeMicros;
    this.localTimestamp = localTimestamp;
    this.#emit(this);
    this.trades = 0;
  }

  /** Whole milliseconds, limited to the day if there is one. */
  #limitToDayMs(timestamp: number): number {
    const day = this.#day;
    if (day && timestamp < day.start) return day.start / 1000;
    return Math.floor((day && timestamp >= day.end ? day.end - 1 : timestamp) / 1000);
  }
}
