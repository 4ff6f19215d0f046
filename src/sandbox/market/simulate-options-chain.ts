import { type Day, US_PER_DAY } from '../../day-files/day.js';
import { MarketClock } from './market-clock.js';
import type { MarketSize } from './market-size.js';
import { type Random, seededRandom } from './seeded-random.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

const EXPIRY_TIME_US = 8 * 3_600_000_000;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const STRIKE_STEP = 1000;
const MAX_SUMMARIES = 3;

/** Option summaries that are sent together. Times are microseconds. */
export interface OptionsEvent {
  readonly timestamp: number;
  readonly localTimestamp: number;
  readonly summaries: readonly OptionSummary[];
}

/** Values of an option as text; empty if the exchange provides no value. */
export interface OptionSummary {
  readonly symbol: string;
  readonly type: 'call' | 'put';
  readonly strike: number;
  /** Microseconds. */
  readonly expiration: number;
  readonly openInterest: string;
  readonly lastPrice: string;
  readonly bid: OptionSide;
  readonly ask: OptionSide;
  readonly markPrice: string;
  readonly markIv: string;
  readonly underlyingIndex: string;
  readonly underlyingPrice: string;
  readonly greeks: Greeks;
}

export interface OptionSide {
  readonly price: string;
  readonly amount: string;
  readonly iv: string;
}

/** A side without a quote. */
const NO_SIDE: OptionSide = { price: '', amount: '', iv: '' };

export interface Greeks {
  readonly delta: string;
  readonly gamma: string;
  readonly vega: string;
  readonly theta: string;
  readonly rho: string;
}

/**
 * Simulates a day of BTC options: strikes around the underlying's price, three expirations, calls and puts. It has its
 * own price walk, since the tradable options of the sandbox are too few for a chain.
 */
export function* simulateOptionsChain(
  instrument: SyntheticInstrument,
  day: Day,
  { rows, seed }: MarketSize,
): Generator<OptionsEvent> {
  const { exchange, symbol, resolution, openTicks, ticksPerUnit } = instrument;
  const random = seededRandom(seed, 'options_chain', exchange, symbol, day);
  const clock = new MarketClock(day, rows, resolution, random);
  const centralStep = Math.round(openTicks / ticksPerUnit / STRIKE_STEP);
  let ticks = openTicks;
  for (let remainingRows = rows; remainingRows > 0; ) {
    const count = Math.min(remainingRows, 1 + random.int(MAX_SUMMARIES));
    remainingRows -= count;
    clock.advance(count);
    const summaries: OptionSummary[] = [];
    for (let i = 0; i < count; i++) {
      ticks += random.int(9) - 4;
      const daysToExpiry = 1 + 7 * random.int(3);
      const expiration = (day + daysToExpiry) * US_PER_DAY + EXPIRY_TIME_US;
      const series = `BTC-${formatExpiry(expiration)}`;
      const strike = (centralStep - 5 + random.int(11)) * STRIKE_STEP;
      const isCall = random.chance(0.5);
      const underlying = ticks / ticksPerUnit;
      summaries.push({
        symbol: `${series}-${strike}-${isCall ? 'C' : 'P'}`,
        type: isCall ? 'call' : 'put',
        strike,
        expiration,
        ...drawPrices(random, underlying, strike, daysToExpiry, isCall),
        underlyingIndex: `SYN.${series}`,
        underlyingPrice: String(underlying),
        greeks: computeGreeks(underlying, strike, daysToExpiry, isCall),
      });
    }
    yield { timestamp: clock.timestamp, localTimestamp: clock.localTimestamp, summaries };
  }
}

type Prices = Pick<OptionSummary, 'openInterest' | 'lastPrice' | 'bid' | 'ask' | 'markPrice' | 'markIv'>;

function drawPrices(
  random: Random,
  underlying: number,
  strike: number,
  daysToExpiry: number,
  isCall: boolean,
): Prices {
  const markIv = 50 + random.int(2000) / 100;
  const intrinsic = Math.max(0, (isCall ? underlying - strike : strike - underlying) / underlying);
  const mark = intrinsic + 0.004 * Math.sqrt(daysToExpiry) * (1 + random.next() / 10);
  const side = (price: number, iv: number): OptionSide =>
    random.chance(0.15)
      ? NO_SIDE
      : { price: price.toFixed(4), amount: String(random.int(500) / 10), iv: iv.toFixed(2) };
  const lastPrice = random.chance(0.3) ? '' : mark.toFixed(3);
  const openInterest = String(random.int(20_000) / 10);
  const bid = side(mark * 0.97, markIv - 2);
  const ask = side(mark * 1.03, markIv + 2);
  return { openInterest, lastPrice, bid, ask, markPrice: mark.toFixed(8), markIv: markIv.toFixed(2) };
}

/** Uses a logistic curve in place of the normal distribution. */
function computeGreeks(underlying: number, strike: number, daysToExpiry: number, isCall: boolean): Greeks {
  const spread = 0.03 * Math.sqrt(daysToExpiry);
  const share = 1 / (1 + Math.exp((-1.7 * Math.log(underlying / strike)) / spread));
  const bell = share * (1 - share);
  const delta = isCall ? share : share - 1;
  return {
    delta: delta.toFixed(5),
    gamma: ((1.7 * bell) / spread / underlying).toFixed(5),
    vega: (bell * underlying * 0.002 * daysToExpiry).toFixed(5),
    theta: ((-bell * underlying) / 20 / daysToExpiry).toFixed(5),
    rho: ((delta * daysToExpiry) / 365).toFixed(5),
  };
}

/** The expiry as in exchange symbols: `9JUN20`. */
function formatExpiry(us: number): string {
  const date = new Date(us / 1000);
  return `${date.getUTCDate()}${MONTHS[date.getUTCMonth()]}${String(date.getUTCFullYear()).slice(2)}`;
}
