import type { Batch } from '../../format/batch.js';
import { createFixedText } from '../../format/ndjson/write-json.js';
import type { BookSnapshot } from '../book-snapshots.js';
import type { BookSnapshotType, ComputedType, TradeBarType } from '../message-type-name.js';
import { type ComputedSink, InstrumentPipeline } from '../pipeline.js';
import type { Period, TradeBar } from '../trade-bars.js';
import { BookRows, Instruments, MessageRows, type RowState } from './day-file-lines.js';

/** Computes types of one day file. Push its batches in order; results are passed to a callback. */
export interface ComputedStream {
  push(batch: Batch): void;
  /** Ends the file. */
  end(): void;
}

const UNBOUNDED_PERIOD: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/**
 * Computes bars of a day file of trades (docs/spec/computed-data.md#day-files). All trades count as within
 * the day, and the bars that are open at the end of the file are emitted, too, by first appearance of the
 * instruments.
 * @param day the file's day, in microseconds.
 * @param emit called with each complete bar; the object is reused.
 */
export function createBarStream(
  types: readonly TradeBarType[],
  day: Period,
  emit: (bar: TradeBar) => void,
): ComputedStream {
  const sink: ComputedSink = { createBarSink: () => emit, createSnapshotSink: () => () => {} };
  const instruments = createInstruments(types, sink, day);
  const rows = new MessageRows(instruments, UNBOUNDED_PERIOD, undefined, true);
  return {
    push: (batch) => rows.push(batch),
    end: () => {
      for (const { pipeline } of instruments.states) pipeline.endDay();
    },
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
  const rows = new BookRows(createInstruments(types, sink), UNBOUNDED_PERIOD);
  return { push: (batch) => rows.push(batch), end: () => rows.end() };
}

/** The rows of a computed stream have no lines. */
const NO_HEAD = createFixedText('');

function createInstruments(
  types: readonly ComputedType[],
  sink: ComputedSink,
  day?: Period,
): Instruments<RowState> {
  return new Instruments((instrument) => ({
    head: NO_HEAD,
    pipeline: new InstrumentPipeline(instrument, types, sink, day),
  }));
}
