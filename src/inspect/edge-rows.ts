/** How many of the first and of the last rows are shown. */
export const EDGE_ROWS = 5;

/** Keeps a file's first rows, and its last ones as far as they are not the first. */
export class EdgeRows<Row> {
  readonly #first: Row[] = [];
  readonly #last: Row[] = [];

  /** Rows in order; of a long run of rows, only the ends are asked for. */
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
