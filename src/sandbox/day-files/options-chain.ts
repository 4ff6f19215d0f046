import type { Day } from '../../dataset/day.js';
import { Clock } from '../market/clock.js';
import type { Instrument } from '../market/instrument.js';
import { type Random, seededRandom } from '../market/random.js';
import type { MarketSize } from '../market/simulation.js';
import { type Lines, lineHead } from './lines.js';

const US_A_DAY = 86_400_000_000;
const EXPIRY_TIME = 8 * 3_600_000_000;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const STRIKE_STEP = 1000;
const MOST_ROWS = 3;

/**
 * Summaries of BTC options: strikes around the underlying's price, three expirations, calls and puts. They have a walk
 * of their own: the options that can be traded here are too few for a chain.
 */
export function* optionsChain(
  instrument: Instrument,
  day: Day,
  { rows, seed }: MarketSize,
): Generator<Lines> {
  const { exchange, symbol, resolution, openTicks, ticksPerUnit } = instrument;
  const random = seededRandom(seed, 'options_chain', exchange, symbol, day);
  const clock = new Clock(day, rows, resolution, random);
  const middle = Math.round(openTicks / ticksPerUnit / STRIKE_STEP);
  let ticks = openTicks;
  for (let left = rows; left > 0; ) {
    const count = Math.min(left, 1 + random.int(MOST_ROWS));
    left -= count;
    clock.advance(count);
    const times = { timestamp: clock.timestamp, localTimestamp: clock.local };
    let text = '';
    for (let i = 0; i < count; i++) {
      ticks += random.int(9) - 4;
      const days = 1 + 7 * random.int(3);
      const expiration = (day + days) * US_A_DAY + EXPIRY_TIME;
      const series = `BTC-${expiryName(expiration)}`;
      const strike = (middle - 5 + random.int(11)) * STRIKE_STEP;
      const call = random.chance(0.5);
      const underlying = ticks / ticksPerUnit;
      text +=
        `${lineHead({ exchange, symbol: `${series}-${strike}-${call ? 'C' : 'P'}` }, times)}` +
        `${call ? 'call' : 'put'},${strike},${expiration},${prices(random, underlying, strike, days, call)},` +
        `SYN.${series},${underlying},${greeks(underlying, strike, days, call)}\n`;
    }
    yield { text, localTimestamp: clock.local };
  }
}

/** From `open_interest` to `mark_iv`; a side that nobody quotes has empty cells. */
function prices(random: Random, underlying: number, strike: number, days: number, call: boolean): string {
  const markIv = 50 + random.int(2000) / 100;
  const intrinsic = Math.max(0, (call ? underlying - strike : strike - underlying) / underlying);
  const mark = intrinsic + 0.004 * Math.sqrt(days) * (1 + random.next() / 10);
  const side = (price: number, iv: number): string =>
    random.chance(0.15) ? ',,' : `${price.toFixed(4)},${random.int(500) / 10},${iv.toFixed(2)}`;
  const last = random.chance(0.3) ? '' : mark.toFixed(3);
  return (
    `${random.int(20_000) / 10},${last},${side(mark * 0.97, markIv - 2)},${side(mark * 1.03, markIv + 2)},` +
    `${mark.toFixed(8)},${markIv.toFixed(2)}`
  );
}

/** `delta,gamma,vega,theta,rho`, by a logistic curve in place of the normal distribution. */
function greeks(underlying: number, strike: number, days: number, call: boolean): string {
  const spread = 0.03 * Math.sqrt(days);
  const share = 1 / (1 + Math.exp((-1.7 * Math.log(underlying / strike)) / spread));
  const bell = share * (1 - share);
  const delta = call ? share : share - 1;
  return [
    delta,
    (1.7 * bell) / spread / underlying,
    bell * underlying * 0.002 * days,
    (-bell * underlying) / 20 / days,
    (delta * days) / 365,
  ]
    .map((value) => value.toFixed(5))
    .join(',');
}

/** The expiry as exchanges write it: `9JUN20`. */
function expiryName(us: number): string {
  const date = new Date(us / 1000);
  return `${date.getUTCDate()}${MONTHS[date.getUTCMonth()]}${String(date.getUTCFullYear()).slice(2)}`;
}
