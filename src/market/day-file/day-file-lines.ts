import type { DataType } from '../../day-files/data-types.js';
import {
  type Batch,
  createBatchError,
  createFilledCheck,
  getBooleans,
  getDictionary,
  getNumbers,
  getTextCodes,
  type TextDictionary,
} from '../../format/batch.js';
import { type FixedText, hasMicros } from '../../format/ndjson/write-json.js';
import { ComputedLines } from '../lines/computed-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createLineHead } from '../lines/line-parts.js';
import { BookChangeLines, RowLines } from '../lines/row-lines.js';
import type { NormalizedType } from '../message-type-name.js';
import type { Instrument } from '../messages.js';
import { InstrumentPipeline } from '../pipeline.js';
import { type Period, TRADE_SIDE } from '../trade-bars.js';

export interface DayFileLinesOptions {
  readonly dataType: DataType;
  /** The requested types; those that are not computed from `dataType` are ignored. */
  readonly types: readonly NormalizedType[];
  /**
   * Local times, in microseconds. If it begins within the day, rows before it only build the book: bars and
   * snapshots start empty.
   */
  readonly period: Period;
  /** Selects symbols of a grouped file; undefined for all. */
  readonly isSelected?: ((symbol: string) => boolean) | undefined;
}

/**
 * Formats the messages of one day file as lines. Push its batches in order; each adds its lines to the
 * buffer. After a message follow the messages computed from it, in the order of `types`.
 */
export interface DayFileLines {
  push(batch: Batch, out: LineBuffer): void;
  /** Ends the file: writes the last book change. Open bars and pending snapshots are not written. */
  end(out: LineBuffer): void;
}

export function createDayFileLines(options: DayFileLinesOptions): DayFileLines {
  const { dataType, period, isSelected } = options;
  const types = options.types.filter(({ dayFileType }) => dayFileType === dataType);
  /** The messages that are the rows themselves; undefined if they are not requested. */
  const source = types.find((type) => type.kind === 'source')?.name;
  const computed = new ComputedLines();
  const createState = (instrument: Instrument): RowState | undefined => {
    if (isSelected && !isSelected(instrument.symbol)) return undefined;
    const pipeline = new InstrumentPipeline(instrument, types, computed);
    return { head: createLineHead(source ?? '', instrument), pipeline };
  };
  const instruments = new Instruments(createState);
  if (dataType === 'incremental_book_L2') {
    const rows = new BookRows(instruments, period, source && new BookChangeLines());
    return {
      push(batch, out) {
        computed.out = out;
        rows.push(batch, out);
      },
      end(out) {
        computed.out = out;
        rows.end(out);
      },
    };
  }
  const lines = source && source !== 'book_change' ? new RowLines(source) : undefined;
  const hasBars = types.some(({ kind }) => kind === 'trade_bar');
  const rows = new MessageRows(instruments, period, lines, hasBars);
  return {
    push(batch, out) {
      computed.out = out;
      rows.push(batch, out);
    },
    end() {},
  };
}

/** Processes rows that are one message each: every data type but incremental_book_L2. */
export class MessageRows {
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
    instruments: Instruments<RowState>,
    period: Period,
    lines: RowLines | undefined,
    hasBars: boolean,
  ) {
    this.#instruments = instruments;
    this.#period = period;
    this.#lines = lines;
    this.#hasBars = hasBars;
  }

  /**
   * Writes each row as a line, then passes it to the pipeline of its instrument.
   * @param out buffer for the lines.
   * @throws TickhaulError `corrupt` for an empty price or amount of bars.
   */
  push(batch: Batch, out?: LineBuffer): void {
    const { start, end } = this.#period;
    const { states, indices } = this.#instruments.getOwners(batch);
    const timestamps = getNumbers(batch, 'timestamp');
    const localTimestamps = getNumbers(batch, 'local_timestamp');
    const trades = this.#hasBars ? readTrades(batch) : undefined;
    const lines = this.#lines;
    lines?.open(batch);
    for (let row = 0; row < batch.rows; row++) {
      const state = states[indices[row] as number];
      const local = localTimestamps[row] as number;
      if (state === undefined || local < start || local >= end) continue;
      const time = timestamps[row] as number;
      if (lines && out) lines.write(row, state.head, time, local, out);
      if (!trades) continue;
      trades.assertRow?.(row);
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

/** An empty cell counts as 0, which no price is. */
const EMPTY = 'is empty, but a value is required';

function readTrades(batch: Batch) {
  return {
    assertRow: createFilledCheck(batch, ['price', 'amount'], EMPTY),
    prices: getNumbers(batch, 'price'),
    amounts: getNumbers(batch, 'amount'),
    sides: getTextCodes(batch, 'side', TRADE_SIDE),
  };
}

const SIDE_CODES = { bid: 1, ask: 2 };

/**
 * Groups rows of incremental_book_L2 into book changes: consecutive rows with the same instrument, times and
 * is_snapshot (docs/spec/normalized-messages.md#from-day-files). A change may span two batches, so the last
 * one is complete only at `end`. Each change is written as a line, then passed to the pipeline of its instrument.
 */
export class BookRows {
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
  constructor(instruments: Instruments<RowState>, period: Period, lines?: BookChangeLines) {
    this.#instruments = instruments;
    this.#period = period;
    this.#lines = lines;
  }

  /**
   * @param out buffer for the lines.
   * @throws TickhaulError `corrupt` for a side that is neither bid nor ask, and for an empty price or amount.
   */
  push(batch: Batch, out?: LineBuffer): void {
    const assertRow = createFilledCheck(batch, ['price', 'amount'], EMPTY);
    const { states, indices } = this.#instruments.getOwners(batch);
    const timestamps = getNumbers(batch, 'timestamp');
    const localTimestamps = getNumbers(batch, 'local_timestamp');
    const prices = getNumbers(batch, 'price');
    const amounts = getNumbers(batch, 'amount');
    const snapshots = getBooleans(batch, 'is_snapshot');
    const sides = getTextCodes(batch, 'side', SIDE_CODES);
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
      if (side === 0) throw createBatchError(batch, 'side', row, 'is neither bid nor ask');
      if (state === undefined) continue;
      assertRow?.(row);
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

/**
 * Maps rows to states: row r belongs to `states[indices[r]]`; undefined for an instrument that is not
 * selected.
 */
interface RowOwners<State> {
  readonly states: readonly (State | undefined)[];
  readonly indices: Int32Array;
}

/** What belongs to the rows of one instrument. */
export interface RowState {
  /** Start of the lines of its messages. */
  readonly head: FixedText;
  readonly pipeline: InstrumentPipeline;
}

/** State of each exchange and symbol of a day file, in the order in which they first appear. */
export class Instruments<State> {
  readonly #states = new Map<string, State | undefined>();
  readonly #createState: (instrument: Instrument) => State | undefined;

  /** @param createState called once per instrument; returns undefined if its rows are ignored. */
  constructor(createState: (instrument: Instrument) => State | undefined) {
    this.#createState = createState;
  }

  /** States of the selected instruments so far. */
  get states(): readonly State[] {
    return [...this.#states.values()].filter((state) => state !== undefined);
  }

  getOwners(batch: Batch): RowOwners<State> {
    const exchanges = getDictionary(batch, 'exchange');
    const symbols = getDictionary(batch, 'symbol');
    const [exchange = ''] = exchanges.texts;
    if (exchanges.texts.length === 1) {
      const states = symbols.texts.map((symbol) => this.getState({ exchange, symbol }));
      return { states, indices: symbols.indices };
    }
    return this.#getOwnersOfMany(batch.rows, exchanges, symbols);
  }

  /** Handles files of several exchanges, which the service does not have. */
  #getOwnersOfMany(rows: number, exchanges: TextDictionary, symbols: TextDictionary): RowOwners<State> {
    const known = new Map<number, number>();
    const states: (State | undefined)[] = [];
    const indices = Int32Array.from({ length: rows }, (_, row) => {
      const e = exchanges.indices[row] as number;
      const s = symbols.indices[row] as number;
      const pair = e * symbols.texts.length + s;
      const index = known.get(pair) ?? known.size;
      if (index === known.size) {
        known.set(pair, index);
        states.push(this.getState({ exchange: exchanges.texts[e] ?? '', symbol: symbols.texts[s] ?? '' }));
      }
      return index;
    });
    return { states, indices };
  }

  /** The state of an instrument, created if it is new. */
  getState(instrument: Instrument): State | undefined {
    const key = `${instrument.exchange}\n${instrument.symbol}`;
    if (!this.#states.has(key)) this.#states.set(key, this.#createState(instrument));
    return this.#states.get(key);
  }
}
