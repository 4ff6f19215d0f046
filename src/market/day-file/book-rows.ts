import type { TickhaulError } from '../../base/errors.js';
import type { Batch, Schema } from '../../format/batch.js';
import { createCellError } from '../../format/csv/csv-errors.js';
import { hasMicros } from '../../format/ndjson/iso-time.js';
import { getBooleans, getNumbers, getTextBytes, getTextCodes } from '../batch-columns.js';
import type { BookSnapshots } from '../book/book-snapshots.js';
import type { OrderBook } from '../book/order-book.js';
import type { Period } from '../trade-bars.js';
import type { Instruments } from './instruments.js';

export interface BookState {
  /** Undefined if only the changes are requested. */
  readonly book: OrderBook | undefined;
  readonly snapshots: readonly BookSnapshots[];
}

/** Receives the book changes themselves. */
export interface ChangeConsumer<State> {
  /** Sets the batch of the next rows. */
  open(batch: Batch): void;
  begin(): void;
  level(isAsk: boolean, row: number): void;
  end(state: State, isSnapshot: boolean, timestamp: number, localTimestamp: number): void;
}

const SIDE_CODES = { bid: 1, ask: 2 };

/**
 * Groups rows of incremental_book_L2 into book changes: consecutive rows with the same instrument, times and
 * is_snapshot (docs/spec/normalized-messages.md#from-day-files). A change may span two batches, so the last
 * one is complete only at `end`. Each change is passed to the consumer, then to the book and the snapshots of
 * its instrument.
 */
export class BookRows<State extends BookState> {
  readonly #schema: Schema;
  readonly #instruments: Instruments<State>;
  readonly #period: Period;
  readonly #consumer: ChangeConsumer<State> | undefined;
  /** The current change. */
  #state: State | undefined;
  #isSnapshot = 0;
  #timestamp = 0;
  #localTimestamp = 0;
  /**
   * Position of the current change. The period is a contiguous part of the file, even if local times go back.
   */
  #phase: 'before' | 'in' | 'after' = 'before';

  /**
   * @param period local times, in microseconds. Changes before the first one in the period only update the
   * book; those from the first one after the period on are ignored.
   */
  constructor(
    schema: Schema,
    instruments: Instruments<State>,
    period: Period,
    consumer?: ChangeConsumer<State>,
  ) {
    this.#schema = schema;
    this.#instruments = instruments;
    this.#period = period;
    this.#consumer = consumer;
  }

  /** @throws TickhaulError `corrupt` for a side that is neither bid nor ask. */
  push(batch: Batch): void {
    const { states, indices } = this.#instruments.getOwners(batch);
    const timestamps = getNumbers(this.#schema, batch, 'timestamp');
    const localTimestamps = getNumbers(this.#schema, batch, 'local_timestamp');
    const prices = getNumbers(this.#schema, batch, 'price');
    const amounts = getNumbers(this.#schema, batch, 'amount');
    const snapshots = getBooleans(this.#schema, batch, 'is_snapshot');
    const sides = getTextCodes(this.#schema, batch, 'side', SIDE_CODES);
    const consumer = this.#consumer;
    consumer?.open(batch);
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
        this.#startChange(state, isSnapshot, timestamp, local);
      }
      const side = sides[row];
      if (side === 0) throw this.#createSideError(batch, row);
      if (state === undefined) continue;
      const isAsk = side === SIDE_CODES.ask;
      if (consumer && this.#phase === 'in') consumer.level(isAsk, row);
      if (state.book) state.book.level(isAsk, prices[row] as number, amounts[row] as number);
    }
  }

  /** Completes the current change. Call it after the last batch. */
  end(): void {
    const state = this.#state;
    if (state === undefined) return;
    this.#state = undefined;
    const timestamp = this.#timestamp;
    const local = this.#localTimestamp;
    const { book, snapshots } = state;
    if (this.#phase === 'before') book?.commit();
    if (this.#phase !== 'in') return;
    this.#consumer?.end(state, this.#isSnapshot === 1, timestamp, local);
    if (!book) return;
    const micros = hasMicros(timestamp, local);
    for (let i = 0; i < snapshots.length; i++) (snapshots[i] as BookSnapshots).beforeChange(timestamp);
    book.commit();
    for (let i = 0; i < snapshots.length; i++) {
      (snapshots[i] as BookSnapshots).afterChange(timestamp, local, micros);
    }
  }

  #createSideError(batch: Batch, row: number): TickhaulError {
    const { source = 'rows', line = 0 } = batch.firstLine ?? {};
    const cell = getTextBytes(this.#schema, batch, 'side', row);
    return createCellError({ source, line: line + row }, 'side', cell, 'is neither bid nor ask');
  }

  #startChange(state: State | undefined, isSnapshot: number, timestamp: number, local: number): void {
    this.#state = state;
    this.#isSnapshot = isSnapshot;
    this.#timestamp = timestamp;
    this.#localTimestamp = local;
    if (this.#phase === 'before' && local >= this.#period.start) this.#phase = 'in';
    if (local >= this.#period.end) this.#phase = 'after';
    if (state === undefined) return;
    this.#consumer?.begin();
    state.book?.begin(isSnapshot === 1);
  }
}
