/** Number of first and of last rows that are shown. */
export const EDGE_ROWS = 5;

/** Keeps a file's first rows, and its last rows that are not among the first. */
export class EdgeRows<Row> {
  readonly #first: Row[] = [];
  readonly #last: Row[] = [];

  /** Adds rows in order; `rowAt` is called only for the rows near the ends. */
  add(count: number, rowAt: (index: number) => Row): void {
    let next = 0;
    while (next < count && this.#first.length < EDGE_ROWS) this.#first.push(rowAt(next++));
    for (next = Math.max(next, count - EDGE_ROWS); next < count; next++) {
      this.#last.push(rowAt(next));
      if (this.#last.length > EDGE_ROWS) this.#last.shift();
    }
  }

  read(): { readonly first: readonly Row[]; readonly last: readonly Row[] } {
    return { first: this.#first, last: this.#last };
  }
}
