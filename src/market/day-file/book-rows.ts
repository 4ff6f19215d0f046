import type { TickhaulError } from '../../base/errors.js';
import type { Batch, Schema } from '../../format/batch.js';
import { createCellError } from '../../format/csv/csv-cells.js';
import { hasMicros } from '../../format/ndjson/write-json.js';
import { getBooleans, getNumbers, getTextBytes, getTextCodes } from '../batch-columns.js';
import type { BookChangeLines } from '../lines/book-change-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { Period } from '../trade-bars.js';
import type { Instruments, RowState } from './instruments.js';

const SIDE_CODES = { bid: 1, ask: 2 };

/**
 * Groups rows of incremental_book_L2 into book changes: consecutive rows with the same instrument, times and
 * is_snapshot (docs/spec/normalized-messages.md#from-day-files). A change may span two batches, so the last
 * one is complete only at `end`. Each change is written as a line, then passed to the pipeline of its instrument.
 */
export class BookRows {
  readonly #schema: Schema;
  readonly #instruments: Instruments<RowState>;
  readonly #period: Period;
  readonly #lines: BookChangeLines | undefined;
  /** The current change. */
  #state: RowState | undefined;
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
  constructor(schema: Schema, instruments: Instruments<RowState>, period: Period, lines?: BookChangeLines) {
    this.#schema = schema;
    this.#instruments = instruments;
    this.#period = period;
    this.#lines = lines;
  }

  /** @param out buffer for the lines. @throws TickhaulError `corrupt` for a side that is neither bid nor ask. */
  push(batch: Batch, out?: LineBuffer): void {
    const { states, indices } = this.#instruments.getOwners(batch);
    const timestamps = getNumbers(this.#schema, batch, 'timestamp');
    const localTimestamps = getNumbers(this.#schema, batch, 'local_timestamp');
    const prices = getNumbers(this.#schema, batch, 'price');
    const amounts = getNumbers(this.#schema, batch, 'amount');
    const snapshots = getBooleans(this.#schema, batch, 'is_snapshot');
    const sides = getTextCodes(this.#schema, batch, 'side', SIDE_CODES);
    const lines = this.#lines;
    lines?.open(batch);
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
        this.end(out);
        this.#startChange(state, isSnapshot, timestamp, local);
      }
      const side = sides[row];
      if (side === 0) throw this.#createSideError(batch, row);
      if (state === undefined) continue;
      const isAsk = side === SIDE_CODES.ask;
      if (lines && this.#phase === 'in') lines.level(isAsk, row);
      state.pipeline.level(isAsk, prices[row] as number, amounts[row] as number);
    }
  }

  /** Completes the current change. Call it after the last batch. */
  end(out?: LineBuffer): void {
    const state = this.#state;
    if (state === undefined) return;
    this.#state = undefined;
    const timestamp = this.#timestamp;
    const local = this.#localTimestamp;
    const { head, pipeline } = state;
    if (this.#phase === 'before') pipeline.applyChange();
    if (this.#phase !== 'in') return;
    if (this.#lines && out) this.#lines.write(head, this.#isSnapshot === 1, timestamp, local, out);
    pipeline.endChange(timestamp, local, hasMicros(timestamp, local));
  }

  #createSideError(batch: Batch, row: number): TickhaulError {
    const { source = 'rows', line = 0 } = batch.firstLine ?? {};
    const cell = getTextBytes(this.#schema, batch, 'side', row);
    return createCellError({ source, line: line + row }, 'side', cell, 'is neither bid nor ask');
  }

  #startChange(state: RowState | undefined, isSnapshot: number, timestamp: number, local: number): void {
    this.#state = state;
    this.#isSnapshot = isSnapshot;
    this.#timestamp = timestamp;
    this.#localTimestamp = local;
    if (this.#phase === 'before' && local >= this.#period.start) this.#phase = 'in';
    if (local >= this.#period.end) this.#phase = 'after';
    if (state === undefined) return;
    this.#lines?.begin();
    state.pipeline.beginChange(isSnapshot === 1);
  }
}
