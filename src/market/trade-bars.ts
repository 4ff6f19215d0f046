import type { Instrument } from './instrument.js';
import type { TradeBarType } from './names/data-type-name.js';

/** What took liquidity. */
export const TRADE_SIDE = { unknown: 0, buy: 1, sell: 2 } as const;

/** A bar that is done. It is used again: whoever keeps it copies it. Times are microseconds. */
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
  /** NaN where the bar began with trades of no volume: there is no price by volume then. */
  readonly vwap: number;
  readonly openTimestamp: number;
  readonly closeTimestamp: number;
  /** The end of the interval; of bars by ticks and volume the time of the last trade, late ones not counted. */
  readonly timestamp: number;
  readonly localTimestamp: number;
  /** Whether lines have these times to the microsecond. */
  readonly openMicros: boolean;
  readonly closeMicros: boolean;
  readonly micros: boolean;
}

/** Microseconds; `endConversion` is not included. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/**
 * Trade bars of one exchange and symbol (replay facts, trade_bar). The order of the arithmetic is part of what it
 * gives: the same trades make the same doubles everywhere.
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
  /** The end of the interval of the bar's first trade, in whole milliseconds. */
  #end = 0;

  /**
   * @param day where the trades are those of a day file: one stamped before the day counts for the bars' bounds as at
   *   its start, one stamped after it as in its last millisecond (contract, Computed types of day files).
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
   * @param side one of SIDE.
   * @param timestamp the trade's exchange time, in microseconds.
   * @param micros whether lines have that time to the microsecond.
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
      const ms = this.#boundedMs(timestamp);
      if (this.trades > 0 && ms >= this.#end) this.#give(localTimestamp);
      if (this.trades === 0) this.#end = (Math.floor(ms / interval) + 1) * interval;
    }
    if (this.trades === 0) this.#begin(price, timestamp, micros);
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
    if ((bar === 'tick' ? this.trades : this.volume) >= interval) this.#give(localTimestamp);
  }

  /** Gives the open bar, with the local time of its last trade: a day file ends, where a replay would wait. */
  end(): void {
    if (this.trades > 0) this.#give(this.localTimestamp);
  }

  #begin(price: number, timestamp: number, micros: boolean): void {
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

  #give(localTimestamp: number): void {
    const isTime = this.type.bar === 'time';
    this.timestamp = isTime ? this.#end * 1000 : this.closeTimestamp;
    this.micros = !isTime && this.closeMicros;
    this.localTimestamp = localTimestamp;
    this.#emit(this);
    this.trades = 0;
  }

  /** Whole milliseconds, within the day where there is one. */
  #boundedMs(timestamp: number): number {
    const day = this.#day;
    if (day && timestamp < day.start) return day.start / 1000;
    return Math.floor((day && timestamp >= day.end ? day.end - 1 : timestamp) / 1000);
  }
}
