/**
 * Prices over time in a limited number of columns of equal width. At the limit the width doubles and neighbouring
 * columns are merged, so that the whole replay stays visible. Equal indexes of the lists belong together.
 */
export class PriceColumns {
  /** Starts of the columns, in multiples of the width since the epoch. */
  #slots: number[] = [];
  #highs: number[] = [];
  #lows: number[] = [];
  #lasts: number[] = [];
  #width: number;
  readonly #maxColumns: number;

  /** @param width initial width of a column in milliseconds. */
  constructor(maxColumns: number, width: number) {
    this.#maxColumns = maxColumns;
    this.#width = width;
  }

  /** Width of a column in milliseconds. */
  get width(): number {
    return this.#width;
  }

  get highs(): readonly number[] {
    return this.#highs;
  }

  get lows(): readonly number[] {
    return this.#lows;
  }

  /** The latest price of each column. */
  get lasts(): readonly number[] {
    return this.#lasts;
  }

  /** Starts of the columns in seconds since the epoch. */
  seconds(): readonly number[] {
    return this.#slots.map((slot) => (slot * this.#width) / 1000);
  }

  /** @param time milliseconds; a time before the last column counts as in it. */
  add(time: number, price: number): void {
    const slot = Math.floor(time / this.#width);
    const last = this.#slots.length - 1;
    if (slot <= (this.#slots[last] ?? Number.NEGATIVE_INFINITY)) this.#mergeInto(last, price, price, price);
    else if (this.#slots.length < this.#maxColumns) this.#append(slot, price, price, price);
    else {
      this.#widen();
      this.add(time, price);
    }
  }

  #widen(): void {
    const [slots, highs, lows, lasts] = [this.#slots, this.#highs, this.#lows, this.#lasts];
    this.#width *= 2;
    [this.#slots, this.#highs, this.#lows, this.#lasts] = [[], [], [], []];
    for (const [at, narrow] of slots.entries()) {
      const slot = Math.floor(narrow / 2);
      const column = [highs[at] ?? 0, lows[at] ?? 0, lasts[at] ?? 0] as const;
      const last = this.#slots.length - 1;
      if (this.#slots[last] === slot) this.#mergeInto(last, ...column);
      else this.#append(slot, ...column);
    }
  }

  #mergeInto(at: number, high: number, low: number, last: number): void {
    this.#highs[at] = Math.max(this.#highs[at] ?? high, high);
    this.#lows[at] = Math.min(this.#lows[at] ?? low, low);
    this.#lasts[at] = last;
  }

  #append(slot: number, high: number, low: number, last: number): void {
    this.#slots.push(slot);
    this.#highs.push(high);
    this.#lows.push(low);
    this.#lasts.push(last);
  }
}
