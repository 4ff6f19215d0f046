import { TradeColumns, type TradeRows } from './trade-columns.js';

/** Neighbours that are searched one by one for the place of a trade, which is mostly near the end. */
const NEAR = 16;

/** Trades sorted by exchange time; trades with equal times keep the order in which they were added. */
export class SortedTrades {
  #columns = new TradeColumns();
  #spare = new TradeColumns();
  /** Rows of `#columns` in order, from `#start` on. */
  #order = new Uint32Array(0);
  #start = 0;
  /** Whether the order is that of the columns. */
  #isInOrder = true;

  /** Number of trades that were not removed. */
  get rows(): number {
    return this.#columns.rows - this.#start;
  }

  /** Time of the first trade; infinity if there is none. */
  get firstTimestamp(): number {
    return this.rows === 0 ? Number.POSITIVE_INFINITY : this.#timestampAt(this.#start);
  }

  add(from: TradeRows, row: number): void {
    const timestamp = from.timestamps[row] as number;
    const { rows } = this.#columns;
    this.#columns.append(from, row);
    this.#reserveOrder();
    let at = rows;
    while (at > this.#start && at > rows - NEAR && this.#timestampAt(at - 1) > timestamp) at--;
    if (at > this.#start && this.#timestampAt(at - 1) > timestamp) at = this.#search(timestamp, at);
    if (at < rows) {
      this.#order.copyWithin(at + 1, at, rows);
      this.#isInOrder = false;
    }
    this.#order[at] = rows;
  }

  /** Adds trades if they are in order, and not before the last one. @returns false if they are not. */
  addIfSorted(from: TradeRows, rows: number): boolean {
    let last = this.rows === 0 ? Number.NEGATIVE_INFINITY : this.#timestampAt(this.#columns.rows - 1);
    for (let row = 0; row < rows; row++) {
      const timestamp = from.timestamps[row] as number;
      if (timestamp < last) return false;
      last = timestamp;
    }
    const first = this.#columns.rows;
    this.#columns.appendRange(from, 0, rows);
    this.#reserveOrder();
    for (let row = first; row < first + rows; row++) this.#order[row] = row;
    return true;
  }

  /** Moves the first trade to the end of `out`. */
  moveFirst(out: TradeColumns): void {
    out.append(this.#columns, this.#order[this.#start++] as number);
  }

  /**
   * Moves the first trades to the end of `out`, and those of `others` before them that have lesser times.
   * @returns time of the last moved trade of these.
   */
  move(count: number, others: SortedTrades | undefined, out: TradeColumns): number {
    const end = this.#start + count;
    const last = this.#timestampAt(end - 1);
    if (this.#isInOrder && !(others && others.firstTimestamp < last)) {
      out.appendRange(this.#columns, this.#start, end);
      this.#start = end;
    }
    while (this.#start < end) {
      while (others && others.firstTimestamp < this.firstTimestamp) others.moveFirst(out);
      this.moveFirst(out);
    }
    this.#compact();
    return last;
  }

  /** Makes room for others. */
  #compact(): void {
    const { rows } = this.#columns;
    const remaining = this.#spare;
    remaining.rows = 0;
    if (this.#isInOrder) remaining.appendRange(this.#columns, this.#start, rows);
    else
      for (let at = this.#start; at < rows; at++) remaining.append(this.#columns, this.#order[at] as number);
    this.#spare = this.#columns;
    this.#columns = remaining;
    this.#start = 0;
    this.#isInOrder = true;
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

  #reserveOrder(): void {
    const capacity = this.#columns.timestamps.length;
    if (capacity <= this.#order.length) return;
    const larger = new Uint32Array(capacity);
    larger.set(this.#order);
    this.#order = larger;
  }
}
