import type { DataType } from '../../dataset/data-types.js';
import type { Batch, Schema } from '../../format/batch.js';
import type { FixedText } from '../../format/ndjson/fixed-text.js';
import { getNumbers } from '../batch-columns.js';
import { BookSnapshots } from '../book/book-snapshots.js';
import { OrderBook } from '../book/order-book.js';
import type { Instrument } from '../instrument.js';
import { BookChangeLines } from '../lines/book-change-lines.js';
import { BookSnapshotLines, TradeBarLines } from '../lines/computed-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createLineHead } from '../lines/line-head.js';
import type { OneRowMessageType } from '../lines/message-layouts.js';
import { RowLines } from '../lines/row-lines.js';
import type { BookSnapshotType, NormalizedType, TradeBarType } from '../names/message-type-name.js';
import { type Period, TradeBars } from '../trade-bars.js';
import { BookRows, type BookState, type ChangeConsumer } from './book-rows.js';
import { Instruments } from './instruments.js';
import { processTrades } from './process-trades.js';

export interface DayFileLinesOptions {
  readonly schema: Schema;
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
  const types = options.types.filter(({ dayFileType }) => dayFileType === options.dataType);
  const source = types.find((type) => type.kind === 'source');
  if (options.dataType === 'incremental_book_L2') {
    return createBookLines(
      options,
      types.filter((type) => type.kind === 'book_snapshot'),
      source !== undefined,
    );
  }
  const bars = types.filter((type) => type.kind === 'trade_bar');
  if (options.dataType === 'trades') return createTradeLines(options, bars, source !== undefined);
  return createRowLines(options, source?.name === 'book_change' ? undefined : source?.name);
}

function createTradeLines(
  options: DayFileLinesOptions,
  types: readonly TradeBarType[],
  withTrades: boolean,
): DayFileLines {
  const { schema, period } = options;
  let out: LineBuffer;
  const instruments = new Instruments(
    schema,
    createStateIfSelected(options, (instrument) => ({
      head: createLineHead('trade', instrument),
      bars: types.map((type) => {
        const lines = new TradeBarLines(type, instrument);
        return new TradeBars(type, instrument, (bar) => lines.write(bar, out));
      }),
    })),
  );
  const lines = withTrades ? new RowLines('trade', schema) : undefined;
  return {
    push(batch, target) {
      out = target;
      lines?.open(batch);
      const write =
        lines &&
        ((row: number, { head }: { head: FixedText }, time: number, local: number): void =>
          lines.write(row, head, time, local, target));
      processTrades(batch, schema, instruments, period, write);
    },
    end() {},
  };
}

interface LineBookState extends BookState {
  /** Start of the lines of its changes. */
  readonly head: FixedText;
}

function createBookLines(
  options: DayFileLinesOptions,
  types: readonly BookSnapshotType[],
  withChanges: boolean,
): DayFileLines {
  const { schema, period } = options;
  let out: LineBuffer;
  const instruments = new Instruments<LineBookState>(
    schema,
    createStateIfSelected(options, (instrument) => {
      const book = types.length > 0 ? new OrderBook() : undefined;
      return {
        head: createLineHead('book_change', instrument),
        book,
        snapshots: book
          ? types.map((type) => {
              const lines = new BookSnapshotLines(type, instrument);
              return new BookSnapshots(type, instrument, book, (snapshot) => lines.write(snapshot, out));
            })
          : [],
      };
    }),
  );
  const lines = new BookChangeLines(schema);
  const consumer: ChangeConsumer<LineBookState> = {
    open: (batch) => lines.open(batch),
    begin: () => lines.begin(),
    level: (isAsk, row) => lines.level(isAsk, row),
    end: ({ head }, isSnapshot, time, local) => lines.write(head, isSnapshot, time, local, out),
  };
  const rows = new BookRows(schema, instruments, period, withChanges ? consumer : undefined);
  return {
    push(batch, target) {
      out = target;
      rows.push(batch);
    },
    end(target) {
      out = target;
      rows.end();
    },
  };
}

function createRowLines(options: DayFileLinesOptions, type: OneRowMessageType | undefined): DayFileLines {
  if (type === undefined) return { push() {}, end() {} };
  const { schema, period } = options;
  const lines = new RowLines(type, schema);
  const instruments = new Instruments(
    schema,
    createStateIfSelected(options, (instrument) => createLineHead(type, instrument)),
  );
  return {
    push(batch, out) {
      const { states, indices } = instruments.getOwners(batch);
      const timestamps = getNumbers(schema, batch, 'timestamp');
      const localTimestamps = getNumbers(schema, batch, 'local_timestamp');
      lines.open(batch);
      for (let row = 0; row < batch.rows; row++) {
        const head = states[indices[row] as number];
        const local = localTimestamps[row] as number;
        if (head === undefined || local < period.start || local >= period.end) continue;
        lines.write(row, head, timestamps[row] as number, local, out);
      }
    },
    end() {},
  };
}

function createStateIfSelected<State>(
  { isSelected }: DayFileLinesOptions,
  createState: (instrument: Instrument) => State,
): (instrument: Instrument) => State | undefined {
  return (instrument) => (isSelected && !isSelected(instrument.symbol) ? undefined : createState(instrument));
}
