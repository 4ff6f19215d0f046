import { exchangeTime, type Plain, sixDecimals, type Trade, threeDecimals } from './messages.js';

export interface BarSpec {
  readonly name: string;
  readonly interval: number;
  readonly kind: 'time' | 'tick' | 'volume';
}

/**
 * Bars of one instrument, directly from the rules: all trades of the open bar are kept, and evaluated for
 * each bar.
 */
export class NaiveBars {
  #trades: Trade[] = [];

  /** @param day bounds of a day file, in microseconds. */
  constructor(
    readonly spec: BarSpec,
    readonly day?: { readonly start: number; readonly end: number },
  ) {}

  take(trade: Trade): Plain[] {
    const out: Plain[] = [];
    const [first] = this.#trades;
    if (this.spec.kind === 'time' && first && this.#bucket(trade) > this.#bucket(first)) {
      out.push(this.#bar(trade.localTimestamp));
      this.#trades = [];
    }
    this.#trades.push(trade);
    const { kind, interval } = this.spec;
    const volume = this.#trades.reduce((sum, { amount }) => sum + amount, 0);
    if ((kind === 'tick' && this.#trades.length >= interval) || (kind === 'volume' && volume >= interval)) {
      out.push(this.#bar(trade.localTimestamp));
      this.#trades = [];
    }
    return out;
  }

  end(): Plain[] {
    const last = this.#trades.at(-1);
    const out = last ? [this.#bar(last.localTimestamp)] : [];
    this.#trades = [];
    return out;
  }

  #bucket({ timestamp }: Trade): number {
    const { start, end } = this.day ?? { start: -Infinity, end: Infinity };
    const bounded = timestamp < start ? start : timestamp >= end ? end - 1000 : timestamp;
    return Math.floor(Math.floor(bounded / 1000) / this.spec.interval);
  }

  #bar(localTimestamp: number): Plain {
    const [first, ...later] = this.#trades as [Trade, ...Trade[]];
    const { name, interval, kind } = this.spec;
    let close = first;
    for (const trade of later) {
      if (Math.floor(trade.timestamp / 1000) >= Math.floor(close.timestamp / 1000)) close = trade;
    }
    let [volume, buyVolume, sellVolume, vwap] = [0, 0, 0, 0];
    for (const { price, amount, side } of this.#trades) {
      vwap = (vwap * volume + price * amount) / (volume + amount);
      volume += amount;
      if (side === 'buy') buyVolume += amount;
      if (side === 'sell') sellVolume += amount;
    }
    const end = (this.#bucket(first) + 1) * interval * 1000;
    return {
      ...{ type: 'trade_bar', symbol: first.symbol, exchange: first.exchange, name, interval, kind },
      open: first.price,
      high: Math.max(...this.#trades.map(({ price }) => price)),
      low: Math.min(...this.#trades.map(({ price }) => price)),
      close: close.price,
      ...{ volume, buyVolume, sellVolume, trades: this.#trades.length, vwap },
      openTimestamp: exchangeTime(first),
      closeTimestamp: exchangeTime(close),
      localTimestamp: sixDecimals(localTimestamp),
      timestamp: kind === 'time' ? threeDecimals(end) : exchangeTime(close),
    };
  }
}
