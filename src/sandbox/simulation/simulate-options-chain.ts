import { type Day, US_PER_DAY } from '../../day-files/day.js';
import { MarketClock } from './market-clock.js';
import type { EventOf, MarketSize } from './market-event.js';
import { type Random, seededRandom } from './seeded-random.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

const EXPIRY_TIME_US = 8 * 3_600_000_000;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const STRIKE_STEP = 1000;
const MAX_SUMMARIES = 3;

/**
 * Simulates a day of BTC options: strikes around the underlying's price, three expirations, calls and puts. It has its
 * own price walk, since the tradable options of the sandbox are too few for a chain.
 */
export function* simulateOptionsChain(
  instrument: SyntheticInstrument,
  day: Day,
  { rows, seed }: MarketSize,
): Generator<EventOf<'option_summary'>> {
  const { exchange, symbol, resolution, openTicks, ticksPerUnit } = instrument;
  const random = seededRandom(seed, 'options_chain', exchange, symbol, day);
  const clock = new MarketClock(day, rows, resolution, random);
  const centralStep = Math.round(openTicks / ticksPerUnit / STRIKE_STEP);
  let ticks = openTicks;
  for (let remainingRows = rows; remainingRows > 0; ) {
    const count = Math.min(remainingRows, 1 + random.int(MAX_SUMMARIES));
    remainingRows -= count;
    clock.advance(count);
    for (let i = 0; i < count; i++) {
      ticks += random.int(9) - 4;
      const daysToExpiry = 1 + 7 * random.int(3);
      const expiration = (day + daysToExpiry) * US_PER_DAY + EXPIRY_TIME_US;
      const series = `BTC-${formatExpiry(expiration)}`;
      const strike = (centralStep - 5 + random.int(11)) * STRIKE_STEP;
      const isCall = random.chance(0.5);
      const underlying = ticks / ticksPerUnit;
      yield {
        type: 'option_summary',
        symbol: `${series}-${strike}-${isCall ? 'C' : 'P'}`,
        timestamp: clock.timestamp,
        localTimestamp: clock.localTimestamp,
        optionType: isCall ? 'call' : 'put',
        strikePrice: strike,
        expirationDate: expiration,
        ...drawPrices(random, underlying, strike, daysToExpiry, isCall),
        ...computeGreeks(underlying, strike, daysToExpiry, isCall),
        underlyingPrice: underlying,
        underlyingIndex: `SYN.${series}`,
      };
    }
  }
}

type Values = Partial<EventOf<'option_summary'>>;

function drawPrices(
  random: Random,
  underlying: number,
  strike: number,
  daysToExpiry: number,
  isCall: boolean,
): Values {
  const markIv = 50 + random.int(2000) / 100;
  const intrinsic = Math.max(0, (isCall ? underlying - strike : strike - underlying) / underlying);
  const mark = intrinsic + 0.004 * Math.sqrt(daysToExpiry) * (1 + random.next() / 10);
  /** Price, amount and volatility of a side; none of them if it has no quote. */
  const side = (price: number, iv: number): readonly (number | undefined)[] =>
    random.chance(0.15) ? [] : [roundTo(price, 4), random.int(500) / 10, roundTo(iv, 2)];
  const lastPrice = random.chance(0.3) ? undefined : roundTo(mark, 3);
  const openInterest = random.int(20_000) / 10;
  const [bestBidPrice, bestBidAmount, bestBidIV] = side(mark * 0.97, markIv - 2);
  const [bestAskPrice, bestAskAmount, bestAskIV] = side(mark * 1.03, markIv + 2);
  return {
    ...{ bestBidPrice, bestBidAmount, bestBidIV, bestAskPrice, bestAskAmount, bestAskIV },
    ...{ lastPrice, openInterest, markPrice: roundTo(mark, 8), markIV: roundTo(markIv, 2) },
  };
}

/** Uses a logistic curve in place of the normal distribution. */
function computeGreeks(underlying: number, strike: number, daysToExpiry: number, isCall: boolean): Values {
  const spread = 0.03 * Math.sqrt(daysToExpiry);
  const share = 1 / (1 + Math.exp((-1.7 * Math.log(underlying / strike)) / spread));
  const bell = share * (1 - share);
  const delta = isCall ? share : share - 1;
  return {
    delta: roundTo(delta, 5),
    gamma: roundTo((1.7 * bell) / spread / underlying, 5),
    vega: roundTo(bell * underlying * 0.002 * daysToExpiry, 5),
    theta: roundTo((-bell * underlying) / 20 / daysToExpiry, 5),
    rho: roundTo((delta * daysToExpiry) / 365, 5),
  };
}

/** The nearest number with this many decimals, of which day files have as many. */
function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The expiry as in exchange symbols: `9JUN20`. */
function formatExpiry(us: number): string {
  const date = new Date(us / 1000);
  return `${date.getUTCDate()}${MONTHS[date.getUTCMonth()]}${String(date.getUTCFullYear()).slice(2)}`;
}
