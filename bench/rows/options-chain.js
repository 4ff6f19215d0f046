import { clockOf } from './clock.js';
import { amountsOf, randomOf } from './random.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const TODAY = Date.parse('2020-09-01');
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** Days to expiry, and distance of the strikes. */
const EXPIRIES = [
  [1, 125],
  [2, 125],
  [3, 250],
  [10, 250],
  [24, 500],
  [59, 1000],
  [115, 2000],
  [206, 4000],
  [297, 4000],
];

/**
 * Rows of a whole chain, OPTIONS: each has an option's quotes, volatility and Black-Scholes greeks. Missing quotes and
 * last prices are empty; amounts always have a decimal point; the open interest sometimes has the 17 digits of a binary
 * sum.
 */
export function* optionsChainRows(seed) {
  const random = randomOf(seed);
  const { chance, exponential, normal } = random;
  const now = clockOf(random, { pause: 42_000, lag: 400_000 });
  const amount = amountsOf(random, { usual: 0.7, median: 90, deviation: 1.2 });
  const options = EXPIRIES.flatMap(([days, step]) => chainOf(days, step, random));
  let spot = 11_657;
  for (;;) {
    spot *= 1 + normal() * 2e-5;
    // Options near the money are more active.
    const option = options[Math.floor(options.length * exponential(0.2)) % options.length];
    option.volatility = Math.max(20, option.volatility + normal() * 0.12);
    const underlying = spot * (1 + option.years * 0.06);
    const model = modelOf(option, underlying);
    const tick = 0.0005;
    if (chance(0.4)) option.bid = Math.floor((model.price * (1 - exponential(0.04))) / tick);
    if (chance(0.4)) option.ask = Math.ceil((model.price * (1 + exponential(0.04))) / tick) + 1;
    if (chance(0.3)) option.bidAmount = amount();
    if (chance(0.3)) option.askAmount = amount();
    if (chance(0.01))
      option.interest = chance(0.5) ? option.interest + amount() / 10 : Math.round(option.interest);
    if (chance(0.005)) option.last = Math.max(1, Math.round(model.price / tick));
    const bid = quote(option.bid, option.bidAmount, option.volatility - 2 - exponential(2));
    const ask = quote(option.ask, option.askAmount, option.volatility + 2 + exponential(2));
    const last = option.last === 0 ? '' : rounded(option.last * tick, 4);
    const market = `${option.interest},${last},${bid},${ask},${rounded(model.price, 8)},${rounded(option.volatility, 2)}`;
    const greeks = [model.delta, model.gamma, model.vega, model.theta, model.rho].map((value) =>
      rounded(value, 5),
    );
    yield `deribit,${option.name},${now()},${option.begin},${market},${option.index},${rounded(underlying, 2)},${greeks.join()}`;
  }
}

function chainOf(days, step, { exponential, chance }) {
  const expiry = TODAY + days * DAY_MS + 8 * 3_600_000;
  const date = new Date(expiry);
  const code = `${date.getUTCDate()}${MONTHS[date.getUTCMonth()]}20`;
  const reach = Math.max(8, Math.round((2500 * Math.sqrt(days)) / step));
  const strikes = Array.from(
    { length: 2 * reach + 1 },
    (_, at) => (Math.round(11_657 / step) + at - reach) * step,
  );
  return strikes
    .filter((strike) => strike > 0)
    .sort((a, b) => Math.abs(a - 11_657) - Math.abs(b - 11_657))
    .flatMap((strike) =>
      ['call', 'put'].map((type) => ({
        name: `BTC-${code}-${strike}-${type === 'call' ? 'C' : 'P'}`,
        begin: `${type},${strike},${expiry * 1000}`,
        index: `SYN.BTC-${code}`,
        isCall: type === 'call',
        strike,
        years: (expiry - TODAY) / YEAR_MS,
        volatility: 55 + (Math.abs(strike - 11_657) / 11_657) * 40,
        // Some are binary sums, which are inexact.
        interest: chance(0.15) ? 0 : Math.ceil(exponential(3000)) * (chance(0.25) ? 0.1 : 1),
        last: chance(0.2) ? 0 : Math.ceil(exponential(60)),
        bid: 0,
        ask: 0,
        bidAmount: 0,
        askAmount: 0,
      })),
    );
}

/** In ticks of the price; empty without an amount. */
function quote(ticks, amount, volatility) {
  if (ticks <= 0 || amount === 0) return ',,';
  const text = rounded(amount / 10, 1);
  return `${rounded(ticks * 0.0005, 4)},${text.includes('.') ? text : `${text}.0`},${rounded(Math.max(1, volatility), 2)}`;
}

/** An option on a future, priced in coins, without interest. */
function modelOf({ isCall, strike, years, volatility }, future) {
  const deviation = (volatility / 100) * Math.sqrt(years);
  const d1 = Math.log(future / strike) / deviation + deviation / 2;
  const d2 = d1 - deviation;
  const sign = isCall ? 1 : -1;
  const density = Math.exp((-d1 * d1) / 2) / Math.sqrt(2 * Math.PI);
  return {
    price: Math.max(0, (sign * (future * cumulative(sign * d1) - strike * cumulative(sign * d2))) / future),
    delta: sign * cumulative(sign * d1),
    gamma: density / (future * deviation),
    vega: (future * density * Math.sqrt(years)) / 100,
    theta: (-future * density * (volatility / 100)) / (2 * Math.sqrt(years)) / 365,
    rho: (sign * strike * years * cumulative(sign * d2)) / 100,
  };
}

/** The normal distribution, to about four digits. */
function cumulative(x) {
  return 1 / (1 + Math.exp(-1.5976 * x - 0.070565992 * x * x * x));
}

function rounded(value, places) {
  const text = String(Math.round(value * 10 ** places) / 10 ** places);
  return text.includes('e') ? value.toFixed(places).replace(/0+$/, '') : text;
}
