import { clockOf } from './clock.js';
import { amountsOf, randomOf } from './random.js';

/** Rows of quotes: each changes the amount or price of one side, or both; often back to the previous value. */
export function* quoteRows(seed, symbol) {
  const random = randomOf(seed);
  const { chance, pick, exponential, normal } = random;
  const now = clockOf(random, { pause: 5_200, lag: 6_000 });
  const amount = amountsOf(random, { usual: 0.55, median: 1_200, deviation: 1.7 });
  let mid = 968_200;
  const sideOf = (step) => ({ step, price: mid + step * 25, amount: amount(), seen: [mid + step * 25] });
  const bid = sideOf(-1);
  const ask = sideOf(1);
  for (;;) {
    if (chance(0.06)) mid += Math.round(normal() * 25);
    const isBid = chance(0.47);
    change(isBid ? bid : ask, isBid ? ask : bid);
    if (chance(0.03)) change(isBid ? ask : bid, isBid ? bid : ask);
    yield `binance-futures,${symbol},${now()},${ask.amount / 1000},${ask.price / 100},${bid.price / 100},${bid.amount / 1000}`;
  }

  function change(side, other) {
    const { step, seen } = side;
    const moves = chance(0.56);
    if (!moves || chance(0.88)) side.amount = amount();
    if (!moves) return;
    const price = chance(0.45) ? seen[pick(seen.length)] : mid + step * Math.floor(exponential(35));
    // Never crosses the other side.
    side.price = step * (price - other.price) > 0 ? price : other.price + step;
    seen.push(side.price);
    if (seen.length > 6) seen.shift();
  }
}
