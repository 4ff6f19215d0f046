import { TradeColumns } from './trade-columns.js';

/** Neighbours that are searched one by one for the place of a trade, which is mostly near the end. */
const NEAR = 16;

/** Trades sorted by exchange time; trades with equal times keep the order in which they were added. */
export class SortedTrades {
  #columns = new TradeColumns();
  #spare = new TradeColumns();
  /** Rows of `#columns` in order, from `#start` on. */
  #order = new Uint32Array(0);
  #start = 0;

  /** Number of trades that were not removed. */
  get rows(): number {
    return this.#columns.rows - this.#start;
  }

  /** Time of the first trade; infinity if there is none. */
  get firstTimestamp(): number {
    return this.rows === 0 ? Number.POSITIVE_INFINITY : this.#timestampAt(this.#start);
  }

  /** The parameters are those of `TradeColumns.append`. */
  add(
    timestamp: number,
    price: number,
    amount: number,
    side: number,
    ids: Uint8Array,
    idStart: number,
    idEnd: number,
  ): void {
    const { rows } = this.#columns;
    this.#columns.append(timestamp, price, amount, side, ids, idStart, idEnd);
    if (rows === this.#order.length) this.#growOrder();
    let at = rows;
    while (at > this.#start && at > rows - NEAR && this.#timestampAt(at - 1) > timestamp) at--;
    if (at > this.#start && this.#timestampAt(at - 1) > timestamp) at = this.#search(timestamp, at);
    if (at < rows) this.#order.copyWithin(at + 1, at, rows);
    this.#order[at] = rows;
  }

  /** Moves the first trade to the end of `out`. */
  moveFirst(out: TradeColumns): void {
    out.appendFrom(this.#columns, this.#order[this.#start++] as number);
  }

  /** Makes room for others after trades were moved. */
  compact(): void {
    const { rows } = this.#columns;
    const remaining = this.#spare;
    remaining.rows = 0;
    for (let at = this.#start; at < rows; at++)
      remaining.appendFrom(this.#columns, this.#order[at] as number);
    this.#spare = this.#columns;
    this.#columns = remaining;
    this.#start = 0;
    for (let at = 0; at < remaining.rows; at++) this.#order[at] = at;
  }

  #timestampAt(at: number): number {
    return this.#columns.timestamps[this.#order[at] as number] as number;
  }

  /** The position before `end` of the first trade with a later time. */
  #search(timestamp: number, end: number): number {
    let low = this.#start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timestampAt(middle) > timestamp) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #growOrder(): void {
    const larger = new Uint32Array(Math.max(256, 2 * this.#order.length));
    larger.set(this.#order);
    this.#order = larger;
  }
}
