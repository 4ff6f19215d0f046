import type { Batch, Schema } from '../../format/batch.js';
import { hasMicros } from '../../format/ndjson/write-json.js';
import { getNumbers, getTextCodes } from '../batch-columns.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { RowLines } from '../lines/row-lines.js';
import type { Period } from '../trade-bars.js';
import { TRADE_SIDE } from '../trade-bars.js';
import type { Instruments, RowState } from './instruments.js';

/** Processes rows that are one message each: every data type but incremental_book_L2. */
export class MessageRows {
  readonly #schema: Schema;
  readonly #instruments: Instruments<RowState>;
  readonly #period: Period;
  readonly #lines: RowLines | undefined;
  readonly #hasBars: boolean;

  /**
   * @param period local times in microseconds; rows outside are ignored.
   * @param lines undefined if the messages themselves are not requested.
   * @param hasBars whether the rows are trades from which bars are computed.
   */
  constructor(
    schema: Schema,
    instruments: Instruments<RowState>,
    period: Period,
    lines: RowLines | undefined,
    hasBars: boolean,
  ) {
    this.#schema = schema;
    this.#instruments = instruments;
    this.#period = period;
    this.#lines = lines;
    this.#hasBars = hasBars;
  }

  /** Writes each row as a line, then passes it to the pipeline of its instrument. @param out buffer for the lines. */
  push(batch: Batch, out?: LineBuffer): void {
    const schema = this.#schema;
    const { start, end } = this.#period;
    const { states, indices } = this.#instruments.getOwners(batch);
    const timestamps = getNumbers(schema, batch, 'timestamp');
    const localTimestamps = getNumbers(schema, batch, 'local_timestamp');
    const trades = this.#hasBars ? readTrades(schema, batch) : undefined;
    const lines = this.#lines;
    lines?.open(batch);
    for (let row = 0; row < batch.rows; row++) {
      const state = states[indices[row] as number];
      const local = localTimestamps[row] as number;
      if (state === undefined || local < start || local >= end) continue;
      const time = timestamps[row] as number;
      if (lines && out) lines.write(row, state.head, time, local, out);
      if (!trades) continue;
      state.pipeline.trade(
        trades.prices[row] as number,
        trades.amounts[row] as number,
        trades.sides[row] as number,
        time,
        local,
        hasMicros(time, local),
      );
    }
  }
}

function readTrades(schema: Schema, batch: Batch) {
  return {
    prices: getNumbers(schema, batch, 'price'),
    amounts: getNumbers(schema, batch, 'amount'),
    sides: getTextCodes(schema, batch, 'side', TRADE_SIDE),
  };
}
