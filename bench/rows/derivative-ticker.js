import { clockOf } from './clock.js';
import { decimal, randomOf } from './random.js';

/** Rows of derivative_ticker without funding time and predicted rate; other values change at different rates. */
export function* derivativeTickerRows(seed, symbol) {
  const random = randomOf(seed);
  const { chance, normal, pick } = random;
  const now = clockOf(random, { pause: 10_500, lag: 13_000 });
  let rate = 459;
  let interest = 705_041_730;
  let last = 65_255_50;
  let index = 65_203_53;
  let basis = 1660;
  for (;;) {
    if (chance(0.35)) index += Math.round(normal() * 180);
    if (chance(0.7)) basis = Math.round(basis * 0.98 + normal() * 60);
    if (chance(0.4)) rate = Math.round(rate * 0.999 + normal() * 12);
    if (chance(0.4)) interest += 10 * Math.round(normal() * 200);
    const mark = index + basis;
    if (chance(0.25)) last = 50 * (Math.round(mark / 50) + pick(9) - 4);
    const prices = `${last / 100},${index / 100},${mark / 100}`;
    yield `deribit,${symbol},${now()},,${decimal(rate, 8)},,${interest},${prices}`;
  }
}

/** A grouped symbol with no empty cell and rates of up to 20 decimals, which are slow to parse. */
export function* longTickerRows(seed) {
  const random = randomOf(seed);
  const { chance, normal, pick } = random;
  const now = clockOf(random, { pause: 10_500, lag: 13_000 });
  const funding = Date.parse('2020-09-01T08:00:00Z') * 1000;
  const tickers = Array.from({ length: 120 }, (_, at) => ({
    symbol: `COIN${at}-USDT-SWAP`,
    rate: normal() * 1e-4,
    predicted: normal() * 1e-4,
    interest: 1e5 + pick(1e6),
    price: 0.5 + random.exponential(500),
  }));
  for (;;) {
    const ticker = tickers[pick(tickers.length)];
    if (chance(0.4)) ticker.rate += normal() * 1e-7;
    if (chance(0.4)) ticker.predicted += normal() * 1e-7;
    if (chance(0.4)) ticker.interest += pick(2001) - 1000;
    ticker.price *= 1 + normal() * 1e-5;
    const { symbol, rate, predicted, interest, price } = ticker;
    const prices = `${price.toFixed(3)},${(price * 1.0002).toFixed(8)},${price * 1.0003}`;
    yield `okex-swap,${symbol},${now()},${funding},${rate.toFixed(18)},${predicted.toFixed(20)},${interest},${prices}`;
  }
}
