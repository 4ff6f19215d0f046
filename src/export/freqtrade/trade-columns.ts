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
