import { amountsOf } from './random.js';

/** Mean number of active levels from the best on, and mean ticks between them. */
const BUSY_LEVELS = 20;
const GAP = 9;

/**
 * An order book whose levels are added, removed and changed around a mid price with a random walk. Levels are ordered
 * from the best on: the price in ticks of 0.01, and the text `price,amount`.
 */
export class Book {
  #random;
  #amount;
  #mid;
  #moves;
  #depth;
  bids;
  asks;

  /**
   * @param options `moves` is the probability that a change moves the mid price, `depth` the approximate number of
   *   levels per side.
   */
  constructor(random, { mid, moves, depth }) {
    this.#random = random;
    this.#amount = amountsOf(random, { usual: 0.45, median: 350, deviation: 1.6 });
    this.#mid = mid;
    this.#moves = moves;
    this.#depth = depth;
    this.bids = this.#side(-1);
    this.asks = this.#side(1);
  }

  /** One change on either side. @returns the side's name, and the new level; with amount 0 if it was removed. */
  change() {
    const { chance, normal, pick, exponential } = this.#random;
    if (chance(this.#moves)) this.#mid += Math.round(normal() * 60);
    if (this.bids[0].price >= this.#mid) return { side: 'bid', level: gone(this.bids, 0) };
    if (this.asks[0].price <= this.#mid) return { side: 'ask', level: gone(this.asks, 0) };
    const [side, levels, step] = chance(0.5) ? ['bid', this.bids, -1] : ['ask', this.asks, 1];
    const at = Math.min(levels.length - 1, Math.floor(exponential(BUSY_LEVELS)));
    if (chance(0.6)) return { side, level: this.#changed(levels, chance(0.5) ? pick(3) : at) };
    const isDeep = levels.length > this.#depth + pick(21) - 10;
    return { side, level: isDeep ? gone(levels, at) : this.#added(levels, step) };
  }

  #changed(levels, at) {
    levels[at] = levelOf(levels[at].price, this.#amount());
    return levels[at];
  }

  #added(levels, step) {
    const { chance, exponential } = this.#random;
    const price = this.#mid + step * (1 + Math.floor(exponential(chance(0.1) ? 2 : BUSY_LEVELS * GAP)));
    let at = 0;
    while (at < levels.length && (price - levels[at].price) * step > 0) at++;
    const level = levelOf(price, this.#amount());
    levels.splice(at, levels[at]?.price === price ? 1 : 0, level);
    return level;
  }

  #side(step) {
    let price = this.#mid;
    return Array.from({ length: this.#depth }, () => {
      price += step * (1 + Math.floor(this.#random.exponential(GAP)));
      return levelOf(price, this.#amount());
    });
  }
}

function gone(levels, at) {
  const [{ price }] = levels.splice(at, 1);
  return levelOf(price, 0);
}

function levelOf(price, amount) {
  return { price, text: `${price / 100},${amount / 1000}` };
}
