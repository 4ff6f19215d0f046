import type { TickhaulError } from '../../base/errors.js';
import type { Batch, Schema } from '../../format/columns.js';
import { cellError } from '../../format/csv/errors.js';
import type { BookSnapshots } from '../book/book-snapshots.js';
import type { OrderBook } from '../book/order-book.js';
import { booleansOf, codesOf, textAt, valuesOf } from '../columns.js';
import { hasMicros } from '../lines/iso-time.js';
import type { Period } from '../trade-bars.js';
import type { Instruments } from './instruments.js';

export interface BookState {
  /** Undefined where only the changes are asked for. */
  readonly book: OrderBook | undefined;
  readonly snapshots: readonly BookSnapshots[];
}

/** Who takes the book changes themselves. */
export interface ChangeTaker<State> {
  /** Rows are of this batch from now on. */
  open(batch: Batch): void;
  begin(): void;
  level(isAsk: boolean, row: number): void;
  end(state: State, isSnapshot: boolean, timestamp: number, localTimestamp: number): void;
}

const SIDES = { bid: 1, ask: 2 };

/**
 * Goes through the rows of incremental_book_L2 by their order in the file. Rows that follow each other with the same
 * instrument, times and is_snapshot are one change (replay facts, section 8); they may lie in two batches, so the last
 * change of all is only done at `end`. Each change goes to the taker, then to its instrument's book and snapshots.
 */
export class BookRows<State extends BookState> {
  readonly #schema: Schema;
  readonly #instruments: Instruments<State>;
  readonly #period: Period;
  readonly #taker: ChangeTaker<State> | undefined;
  /** The change that is open. */
  #state: State | undefined;
  #isSnapshot = 0;
  #timestamp = 0;
  #localTimestamp = 0;
  /** Where it lies: the period is a stretch of the file, even should local times step back. */
  #phase: 'before' | 'in' | 'after' = 'before';

  /**
   * @param period local times, in microseconds. Changes before the first that lies in it make the book, and nothing
   *   else; from the first behind it on they are passed over.
   */
  constructor(schema: Schema, instruments: Instruments<State>, period: Period, taker?: ChangeTaker<State>) {
    this.#schema = schema;
    this.#instruments = instruments;
    this.#period = period;
    this.#taker = taker;
  }

  /** @throws TickhaulError `corrupt` for a side that is neither bid nor ask. */
  push(batch: Batch): void {
    const { states, indices } = this.#instruments.owners(batch);
    const timestamps = valuesOf(this.#schema, batch, 'timestamp');
    const localTimestamps = valuesOf(this.#schema, batch, 'local_timestamp');
    const prices = valuesOf(this.#schema, batch, 'price');
    const amounts = valuesOf(this.#schema, batch, 'amount');
    const snapshots = booleansOf(this.#schema, batch, 'is_snapshot');
    const sides = codesOf(this.#schema, batch, 'side', SIDES);
    const taker = this.#taker;
    taker?.open(batch);
    for (let row = 0; row < batch.rows; row++) {
      const state = states[indices[row] as number];
      const timestamp = timestamps[row] as number;
      const local = localTimestamps[row] as number;
      const isSnapshot = snapshots[row] as number;
      if (
        local !== this.#localTimestamp ||
        timestamp !== this.#timestamp ||
        isSnapshot !== this.#isSnapshot ||
        state !== this.#state
      ) {
        this.end();
        this.#begin(state, isSnapshot, timestamp, local);
      }
      const side = sides[row];
      if (side === 0) throw this.#sideError(batch, row);
      if (state === undefined) continue;
      const isAsk = side === SIDES.ask;
      if (taker && this.#phase === 'in') taker.level(isAsk, row);
      if (state.book) state.book.level(isAsk, prices[row] as number, amounts[row] as number);
    }
  }

  /** Ends the open change; after the last batch it has to be called. */
  end(): void {
    const state = this.#state;
    if (state === undefined) return;
    this.#state = undefined;
    const timestamp = this.#timestamp;
    const local = this.#localTimestamp;
    const { book, snapshots } = state;
    if (this.#phase === 'before') book?.commit();
    if (this.#phase !== 'in') return;
    this.#taker?.end(state, this.#isSnapshot === 1, timestamp, local);
    if (!book) return;
    const micros = hasMicros(timestamp, local);
    for (let i = 0; i < snapshots.length; i++) (snapshots[i] as BookSnapshots).beforeChange(timestamp);
    book.commit();
    for (let i = 0; i < snapshots.length; i++) {
      (snapshots[i] as BookSnapshots).afterChange(timestamp, local, micros);
    }
  }

  #sideError(batch: Batch, row: number): TickhaulError {
    const { source = 'rows', line = 0 } = batch.place ?? {};
    const cell = textAt(this.#schema, batch, 'side', row);
    return cellError({ source, line: line + row }, 'side', cell, 'is neither bid nor ask');
  }

  #begin(state: State | undefined, isSnapshot: number, timestamp: number, local: number): void {
    this.#state = state;
    this.#isSnapshot = isSnapshot;
    this.#timestamp = timestamp;
    this.#localTimestamp = local;
    if (this.#phase === 'before' && local >= this.#period.start) this.#phase = 'in';
    if (local >= this.#period.end) this.#phase = 'after';
    if (state === undefined) return;
    this.#taker?.begin();
    state.book?.begin(isSnapshot === 1);
  }
}
