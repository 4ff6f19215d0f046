import type { Batch } from '../../format/batch.js';
import { createFixedText } from '../../format/ndjson/write-json.js';
import type { BookSnapshot } from '../book-snapshots.js';
import type { BookSnapshotType, TradeBarType } from '../message-type-name.js';
import type { Instrument } from '../messages.js';
import { type ComputedSink, InstrumentPipeline } from '../pipeline.js';
import type { LastClose, Period, TradeBar } from '../trade-bars.js';
import { BookRows, Instruments, MessageRows, type RowState } from './day-file-lines.js';

/** Computes types of one day file. Push its batches in order; results are passed to a callback. */
export interface ComputedStream {
  push(batch: Batch): void;
  /** Ends the file. */
  end(): void;
  /** The last closes of filled bars, for the next day. Call it after `end`. */
  lastCloses(): readonly InstrumentClose[];
}

/** The last close of the bars of a type and instrument. */
export interface InstrumentClose extends LastClose {
  readonly type: string;
  readonly instrument: Instrument;
}

const UNBOUNDED_PERIOD: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/**
 * Computes bars of a day file of trades (docs/spec/computed-data.md#day-files). All trades count as within
 * the day, and the bars that are open at the end of the file are emitted, too, by first appearance of the
 * instruments.
 * @param day the file's day, in microseconds.
 * @param emit called with each complete bar; the object is reused.
 * @param previous last closes of the day before, with which filled bars begin at the start of the day.
 */
export function createBarStream(
  types: readonly TradeBarType[],
  day: Period,
  emit: (bar: TradeBar) => void,
  previous: readonly InstrumentClose[] = [],
): ComputedStream {
  const sink: ComputedSink = { createBarSink: () => emit, createSnapshotSink: () => () => {} };
  const toKey = (type: string, { exchange, symbol }: Instrument): string => `${type}\n${exchange}\n${symbol}`;
  const closes = new Map(previous.map((close) => [toKey(close.type, close.instrument), close]));
  const instruments = new Instruments((instrument) => ({
    head: NO_HEAD,
    pipeline: new InstrumentPipeline(instrument, types, sink, day, ({ name, fill }) =>
      fill ? closes.get(toKey(name, instrument)) : undefined,
    ),
  }));
  // An instrument may have no trades on this day.
  for (const { instrument } of previous) instruments.getState(instrument);
  const rows = new MessageRows(instruments, UNBOUNDED_PERIOD, undefined, true);
  return {
    push: (batch) => rows.push(batch),
    end: () => {
      for (const { pipeline } of instruments.states) pipeline.endDay();
    },
    lastCloses: () =>
      instruments.states.flatMap(({ pipeline }) =>
        pipeline.bars.flatMap(({ type, instrument, lastClose }) =>
          type.fill && lastClose ? { type: type.name, instrument, ...lastClose } : [],
        ),
      ),
  };
}

/**
 * Computes snapshots of a day file of incremental_book_L2. A state that waits for the end of its interval
 * when the file ends is not emitted.
 * @param emit called with each snapshot; the object is reused.
 */
export function createSnapshotStream(
  types: readonly BookSnapshotType[],
  emit: (snapshot: BookSnapshot) => void,
): ComputedStream {
  const sink: ComputedSink = { createBarSink: () => () => {}, createSnapshotSink: () => emit };
  const instruments = new Instruments((instrument): RowState => {
    return { head: NO_HEAD, pipeline: new InstrumentPipeline(instrument, types, sink) };
  });
  const rows = new BookRows(instruments, UNBOUNDED_PERIOD);
  return { push: (batch) => rows.push(batch), end: () => rows.end(), lastCloses: () => [] };
}

/** The rows of a computed stream have no lines. */
const NO_HEAD = createFixedText('');
