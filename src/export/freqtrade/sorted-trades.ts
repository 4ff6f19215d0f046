/** Neighbours that are searched one by one for the place of a trade, which is mostly near the end. */
const NEAR = 16;

/** Trades sorted by exchange time; trades with equal times keep the order in which they were added. */
export class SortedTrades {
  #columns = new TradeColumns();
  #spare = new TradeColumns();
  /** Rows of `#columns` before this one were taken. */
  #start = 0;
  /** Whether the order is that of the columns, as in most files. */
  #isInOrder = true;
  /** Otherwise, rows of `#columns` in order, from `#start` on. */
  #order = new Uint32Array(0);

  /** Number of trades that were not taken. */
  get rows(): number {
    return this.#columns.rows - this.#start;
  }

  /** Time of the first trade; infinity if there is none. */
  get firstTimestamp(): number {
    return this.rows === 0 ? Number.POSITIVE_INFINITY : this.#timestampAt(this.#start);
  }

  add(from: TradeRows, row: number): void {
    this.#reserve(1);
    const timestamp = from.timestamps[row] as number;
    const isLast = timestamp >= this.#lastTimestamp();
    const { rows } = this.#columns;
    this.#columns.append(from, row);
    if (isLast && this.#isInOrder) return;
    this.#reserveOrder();
    let at = rows;
    while (at > this.#start && at > rows - NEAR && this.#timestampAt(at - 1) > timestamp) at--;
    if (at > this.#start && this.#timestampAt(at - 1) > timestamp) at = this.#search(timestamp, at);
    this.#order.copyWithin(at + 1, at, rows);
    this.#order[at] = rows;
  }

  /** Adds trades if they are in order, and not before the last one. @returns false if they are not. */
  addIfSorted(from: TradeRows): boolean {
    const { timestamps } = from;
    const rows = timestamps.length;
    if (rows > 0 && (timestamps[0] as number) < this.#lastTimestamp()) return false;
    for (let row = 1; row < rows; row++)
      if ((timestamps[row] as number) < (timestamps[row - 1] as number)) return false;
    this.#reserve(rows);
    const first = this.#columns.rows;
    this.#columns.appendRange(from, 0, rows);
    if (!this.#isInOrder) {
      this.#reserveOrder();
      for (let row = first; row < first + rows; row++) this.#order[row] = row;
    }
    return true;
  }

  /** Moves the first trade to the end of `out`. */
  moveFirst(out: TradeColumns): void {
    out.append(this.#columns, this.#rowAt(this.#start++));
  }

  /**
   * Removes the first trades, at least one, and those of `others` before them that have lesser times.
   * @returns them, the last of which is of these; valid until trades are added.
   */
  take(count: number, others?: SortedTrades): TradeRows {
    const start = this.#start;
    const end = start + count;
    if (this.#isInOrder && !(others && others.firstTimestamp < this.#timestampAt(end - 1))) {
      this.#start = end;
      return this.#columns.slice(start, end);
    }
    const taken = new TradeColumns();
    while (this.#start < end) {
      while (others && others.firstTimestamp < this.firstTimestamp) others.moveFirst(taken);
      this.moveFirst(taken);
    }
    if (!this.#isInOrder) this.#compact();
    return taken.slice(0, taken.rows);
  }

  /** Removes the rows that were taken, and puts the others in order. */
  #compact(): void {
    if (this.#isInOrder) this.#columns.removeFirst(this.#start);
    else {
      const sorted = this.#spare;
      sorted.rows = 0;
      for (let at = this.#start; at < this.#columns.rows; at++)
        sorted.append(this.#columns, this.#order[at] as number);
      this.#spare = this.#columns;
      this.#columns = sorted;
      this.#isInOrder = true;
    }
    this.#start = 0;
  }

  #rowAt(at: number): number {
    return this.#isInOrder ? at : (this.#order[at] as number);
  }

  #timestampAt(at: number): number {
    return this.#columns.timestamps[this.#rowAt(at)] as number;
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

  #lastTimestamp(): number {
    return this.rows === 0 ? Number.NEGATIVE_INFINITY : this.#timestampAt(this.#columns.rows - 1);
  }

  /** Makes room for more trades; room of those that were taken is used before more memory. */
  #reserve(rows: number): void {
    if (this.#start > 0 && this.#columns.rows + rows > this.#columns.capacity) this.#compact();
  }

  /** Makes room for the order of all rows, which is that of the columns at first. */
  #reserveOrder(): void {
    const { rows, capacity } = this.#columns;
    if (capacity > this.#order.length) {
      const larger = new Uint32Array(capacity);
      larger.set(this.#order);
      this.#order = larger;
    }
    if (!this.#isInOrder) return;
    for (let row = this.#start; row < rows; row++) this.#order[row] = row;
    this.#isInOrder = false;
  }
}

/** Codes of sides. */
export const BUY = 1;
export const SELL = 2;

/** Columns of trades, as long as there are trades. Prices, amounts and texts are those of the cells. */
export interface TradeRows {
  /** Exchange times, integer microseconds since the epoch. */
  readonly timestamps: Float64Array;
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  /** `BUY`, `SELL`, or 0 for any other text. */
  readonly sides: Uint8Array;
  /** Id i is `ids[idOffsets[i]]` up to, but not including, `ids[idOffsets[i + 1]]`, in UTF-8. */
  readonly idOffsets: Int32Array;
  readonly ids: Uint8Array;
}

/** Columns that grow. They may be longer than the trades: `slice` has the trades alone. */
export class TradeColumns implements TradeRows {
  rows = 0;
  timestamps = new Float64Array(0);
  prices = new Float64Array(0);
  amounts = new Float64Array(0);
  sides = new Uint8Array(0);
  idOffsets = new Int32Array(1);
  ids = new Uint8Array(0);

  append(from: TradeRows, row: number): void {
    const { rows } = this;
    const start = from.idOffsets[row] as number;
    const end = from.idOffsets[row + 1] as number;
    this.#reserve(1, end - start);
    this.timestamps[rows] = from.timestamps[row] as number;
    this.prices[rows] = from.prices[row] as number;
    this.amounts[rows] = from.amounts[row] as number;
    this.sides[rows] = from.sides[row] as number;
    let at = this.idOffsets[rows] as number;
    // A loop is faster than a view of some bytes.
    for (let i = start; i < end; i++) this.ids[at++] = from.ids[i] as number;
    this.idOffsets[rows + 1] = at;
    this.rows++;
  }

  /** Appends the trades from `start` up to, but not including, `end`. */
  appendRange(from: TradeRows, start: number, end: number): void {
    const { rows } = this;
    const idStart = from.idOffsets[start] as number;
    const idEnd = from.idOffsets[end] as number;
    this.#reserve(end - start, idEnd - idStart);
    this.timestamps.set(from.timestamps.subarray(start, end), rows);
    this.prices.set(from.prices.subarray(start, end), rows);
    this.amounts.set(from.amounts.subarray(start, end), rows);
    this.sides.set(from.sides.subarray(start, end), rows);
    const shift = (this.idOffsets[rows] as number) - idStart;
    this.ids.set(from.ids.subarray(idStart, idEnd), idStart + shift);
    copyOffsets(from.idOffsets.subarray(start + 1, end + 1), shift, this.idOffsets.subarray(rows + 1));
    this.rows += end - start;
  }

  /** Removes the first trades. */
  removeFirst(count: number): void {
    const { rows } = this;
    for (const column of [this.timestamps, this.prices, this.amounts, this.sides])
      column.copyWithin(0, count, rows);
    const idStart = this.idOffsets[count] as number;
    this.ids.copyWithin(0, idStart, this.idOffsets[rows]);
    copyOffsets(this.idOffsets.subarray(count, rows + 1), -idStart, this.idOffsets);
    this.rows -= count;
  }

  /** Trades for which there is memory. */
  get capacity(): number {
    return this.timestamps.length;
  }

  /** Views of the trades from `start` up to, but not including, `end`. */
  slice(start: number, end: number): TradeRows {
    return {
      timestamps: this.timestamps.subarray(start, end),
      prices: this.prices.subarray(start, end),
      amounts: this.amounts.subarray(start, end),
      sides: this.sides.subarray(start, end),
      idOffsets: this.idOffsets.subarray(start, end + 1),
      ids: this.ids,
    };
  }

  #reserve(rows: number, idBytes: number): void {
    const needed = this.rows + rows;
    if (needed > this.timestamps.length) this.#growRows(Math.max(256, needed, 4 * this.rows));
    const neededIds = (this.idOffsets[this.rows] as number) + idBytes;
    if (neededIds > this.ids.length) this.ids = grow(new Uint8Array(Math.max(4096, 4 * neededIds)), this.ids);
  }

  #growRows(capacity: number): void {
    this.timestamps = grow(new Float64Array(capacity), this.timestamps);
    this.prices = grow(new Float64Array(capacity), this.prices);
    this.amounts = grow(new Float64Array(capacity), this.amounts);
    this.sides = grow(new Uint8Array(capacity), this.sides);
    this.idOffsets = grow(new Int32Array(capacity + 1), this.idOffsets);
  }
}

/** Copies offsets that count from another position. */
function copyOffsets(from: Int32Array, shift: number, out: Int32Array): void {
  out.set(from);
  for (let i = 0; i < from.length; i++) (out[i] as number) += shift;
}

function grow<T extends { set(from: T): void }>(larger: T, from: T): T {
  larger.set(from);
  return larger;
}
