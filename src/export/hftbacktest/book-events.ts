import { BUY_BIT, CLEAR, DEPTH, SELL_BIT, SNAPSHOT } from './event-codes.js';
import { copyEvent, copyEvents, createEventColumns, type EventColumns } from './event-columns.js';
import type { EventStore } from './event-store.js';
import type { SnapshotMode } from './hftbacktest-settings.js';

const FIRST_ROWS = 64;

/**
 * Turns rows of a book into events (docs/spec/hftbacktest-format.md#events). A snapshot is written when all of its
 * rows are there, first its bids, then its asks.
 */
export class BookEvents {
  /** Events that no row of the file stands for. */
  clears = 0;
  /** Rows of snapshots that are left out. */
  leftOutRows = 0;
  readonly #store: EventStore;
  readonly #mode: SnapshotMode;
  /** Rows of the open snapshot, in the order of the file. */
  #snapshot = createEventColumns(0);
  #rows = 0;
  #hasUpdate = false;

  constructor(store: EventStore, mode: SnapshotMode) {
    this.#store = store;
    this.#mode = mode;
  }

  /** Adds update rows from `start` up to `end`; `ev` is `DEPTH` and the side. */
  addUpdates(rows: EventColumns, start: number, end: number): void {
    this.end();
    this.#hasUpdate = true;
    this.#store.push(rows, start, end);
  }

  /** Adds a row of a snapshot; `ev` is `DEPTH` and the side. */
  addSnapshotRow(rows: EventColumns, row: number): void {
    if (this.#rows > 0 && rows.local[row] !== this.#snapshot.local[0]) this.end();
    if (this.#rows === this.#snapshot.ev.length) {
      const grown = createEventColumns(Math.max(FIRST_ROWS, 2 * this.#rows));
      copyEvents(grown, this.#snapshot, 0, 0, this.#rows);
      this.#snapshot = grown;
    }
    copyEvent(this.#snapshot, this.#rows, rows, row);
    this.#snapshot.ev[this.#rows++] = SNAPSHOT | ((rows.ev[row] as number) & ~DEPTH);
  }

  /** Writes the open snapshot. Call it after the last row. */
  end(): void {
    if (this.#rows === 0) return;
    if (this.#mode === 'process' || (this.#mode === 'ignore-sod' && this.#hasUpdate)) {
      this.#writeSide(BUY_BIT);
      this.#writeSide(SELL_BIT);
    } else this.leftOutRows += this.#rows;
    this.#rows = 0;
  }

  #writeSide(side: number): void {
    const levels = createEventColumns(1 + this.#rows);
    let count = 1;
    for (let row = 0; row < this.#rows; row++)
      if (this.#snapshot.ev[row] === (SNAPSHOT | side)) copyEvent(levels, count++, this.#snapshot, row);
    if (count === 1) return;
    // It clears the side up to the last level.
    copyEvent(levels, 0, levels, 1);
    levels.px[0] = levels.px[count - 1] as number;
    levels.qty[0] = 0;
    levels.ev[0] = CLEAR | side;
    this.clears++;
    this.#store.push(levels, 0, count);
  }
}
