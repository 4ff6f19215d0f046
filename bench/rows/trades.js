import { clockOf } from './clock.js';
import { amountsOf, randomOf } from './random.js';

/** Rows of trades: orders with one or more fills, each at a price not better than the last; ids count up. */
export function* tradeRows(seed, symbol) {
  const random = randomOf(seed);
  const { chance, pick, exponential } = random;
  const now = clockOf(random, { pause: 11_500, lag: 8_000 });
  const amount = amountsOf(random, { usual: 0.5, median: 70, deviation: 2 });
  let id = 42_377_944;
  for (const { isBuy, price: first, fills } of orders(random)) {
    let price = first;
    let times = now();
    for (let fill = 0; fill < fills; fill++) {
      if (fill > 0) {
        times = now(chance(0.7) ? 3 + pick(12) : pick(3000));
        if (chance(0.66)) price += (isBuy ? 1 : -1) * (chance(0.5) ? 1 : Math.ceil(exponential(30)));
      }
      yield `binance-futures,${symbol},${times},${id++},${isBuy ? 'buy' : 'sell'},${price / 100},${amount() / 1000}`;
    }
  }
}

/** Trades of an exchange with UUIDs, and equal times of an order's fills. Amounts are contracts. */
export function* uuidTradeRows(seed, symbol) {
  const random = randomOf(seed);
  const now = clockOf(random, { pause: 11_500, lag: 60_000 });
  const amount = amountsOf(random, { usual: 0.6, median: 900, deviation: 1.9 });
  for (const { isBuy, price, fills } of orders(random)) {
    const begin = `bitmex,${symbol},${now()}`;
    for (let fill = 0; fill < fills; fill++)
      yield `${begin},${uuid(random)},${isBuy ? 'buy' : 'sell'},${Math.round(price / 50) / 2},${amount()}`;
  }
}

/** Taker orders around a price with a random walk, in ticks of 0.01. */
function* orders({ chance, exponential, normal }) {
  let price = 1_165_700;
  let spread = 20;
  let isBuy = true;
  for (;;) {
    if (chance(0.3)) isBuy = !isBuy;
    if (chance(0.5)) price += Math.round(normal() * 30);
    if (chance(0.3)) spread = 1 + Math.floor(exponential(60));
    const fills = chance(0.71) ? 1 : 2 + Math.floor(exponential(1.9));
    yield { isBuy, price: isBuy ? price + spread : price, fills };
  }
}

function uuid({ word }) {
  const digits = [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}
