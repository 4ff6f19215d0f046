/** Codes of sides. */
export const BUY = 1;
export const SELL = 2;

/** Trades in columns that grow. Prices, amounts and texts are those of the cells. */
export class TradeColumns {
  rows = 0;
  /** Exchange times, integer microseconds since the epoch. */
  timestamps = new Float64Array(0);
  prices = new Float64Array(0);
  amounts = new Float64Array(0);
  /** `BUY`, `SELL`, or 0 for any other text. */
  sides = new Uint8Array(0);
  /** Id i is `ids[idOffsets[i]]` up to, but not including, `ids[idOffsets[i + 1]]`, in UTF-8. */
  idOffsets = new Int32Array(1);
  ids = new Uint8Array(0);

  append(
    timestamp: number,
    price: number,
    amount: number,
    side: number,
    ids: Uint8Array,
    idStart: number,
    idEnd: number,
  ): void {
    const { rows } = this;
    if (rows === this.timestamps.length) this.#growRows();
    this.timestamps[rows] = timestamp;
    this.prices[rows] = price;
    this.amounts[rows] = amount;
    this.sides[rows] = side;
    let at = this.idOffsets[rows] as number;
    if (at + idEnd - idStart > this.ids.length) this.#growIds(at + idEnd - idStart);
    // A loop is faster than a view of some bytes.
    for (let i = idStart; i < idEnd; i++) this.ids[at++] = ids[i] as number;
    this.idOffsets[rows + 1] = at;
    this.rows++;
  }

  appendFrom(from: TradeColumns, row: number): void {
    this.append(
      from.timestamps[row] as number,
      from.prices[row] as number,
      from.amounts[row] as number,
      from.sides[row] as number,
      from.ids,
      from.idOffsets[row] as number,
      from.idOffsets[row + 1] as number,
    );
  }

  #growRows(): void {
    const capacity = Math.max(256, 2 * this.rows);
    const grow = <T extends { set(from: T): void }>(larger: T, from: T): T => {
      larger.set(from);
      return larger;
    };
    this.timestamps = grow(new Float64Array(capacity), this.timestamps);
    this.prices = grow(new Float64Array(capacity), this.prices);
    this.amounts = grow(new Float64Array(capacity), this.amounts);
    this.sides = grow(new Uint8Array(capacity), this.sides);
    this.idOffsets = grow(new Int32Array(capacity + 1), this.idOffsets);
  }

  #growIds(needed: number): void {
    const larger = new Uint8Array(Math.max(4096, 2 * needed));
    larger.set(this.ids);
    this.ids = larger;
  }
}
