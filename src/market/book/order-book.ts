import { BookSide } from './book-side.js';

/**
 * The order book of one exchange and symbol (docs/spec/computed-data.md#order-book): a snapshot replaces it,
 * updates before the first snapshot are ignored, and after each change no bid is at or above an ask.
 *
 * Pass a change with `begin`, a `level` for each of its levels in the exchange's order, and `commit`.
 */
export class OrderBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  readonly #bidChanges = new LevelBuffer();
  readonly #askChanges = new LevelBuffer();
  #isSnapshot = false;
  /** Whether there was a snapshot. */
  #ready = false;

  begin(isSnapshot: boolean): void {
    this.#isSnapshot = isSnapshot;
    this.#bidChanges.count = 0;
    this.#askChanges.count = 0;
  }

  /** @param amount the new total at this price; 0 removes the level. */
  level(isAsk: boolean, price: number, amount: number): void {
    (isAsk ? this.#askChanges : this.#bidChanges).push(price, amount);
  }

  /** Applies the change. Afterwards `touched` of each side refers to this change only. */
  commit(): void {
    this.bids.touched = Number.POSITIVE_INFINITY;
    this.asks.touched = Number.POSITIVE_INFINITY;
    if (this.#isSnapshot) {
      this.#ready = true;
      fillSide(this.asks, this.#askChanges);
      fillSide(this.bids, this.#bidChanges);
    } else if (this.#ready) {
      applyChanges(this.asks, this.#askChanges);
      applyChanges(this.bids, this.#bidChanges);
    }
    if (this.bids.best >= this.asks.best) this.#uncross();
  }

  /** Keeps the levels of the change: if it has the best ask, bids are removed. The side is chosen once. */
  #uncross(): void {
    const { bids, asks } = this;
    const { prices, count } = this.#askChanges;
    const bestAsk = asks.best;
    let isNewAsk = false;
    for (let i = 0; i < count && !isNewAsk; i++) isNewAsk = prices[i] === bestAsk;
    const crossedSide = isNewAsk ? bids : asks;
    while (bids.best >= asks.best) crossedSide.removeBest();
  }
}

function fillSide(side: BookSide, { prices, amounts, count }: LevelBuffer): void {
  side.fill(prices, amounts, count);
}

function applyChanges(side: BookSide, { prices, amounts, count }: LevelBuffer): void {
  for (let i = 0; i < count; i++) side.set(prices[i] as number, amounts[i] as number);
}

/** The levels of one side of a change, in their order. */
export class LevelBuffer {
  prices = new Float64Array(16);
  amounts = new Float64Array(16);
  count = 0;

  push(price: number, amount: number): void {
    if (this.count === this.prices.length) {
      this.prices = growArray(this.prices);
      this.amounts = growArray(this.amounts);
    }
    this.prices[this.count] = price;
    this.amounts[this.count++] = amount;
  }
}

function growArray(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * array.length);
  larger.set(array);
  return larger;
}
