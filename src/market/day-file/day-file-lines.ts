import type { DataType } from '../../dataset/data-types.js';
import type { Batch, Schema } from '../../format/batch.js';
import type { Instrument } from '../instrument.js';
import { BookChangeLines } from '../lines/book-change-lines.js';
import { ComputedLines } from '../lines/computed-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createLineHead } from '../lines/line-head.js';
import { RowLines } from '../lines/row-lines.js';
import type { NormalizedType } from '../names/message-type-name.js';
import { InstrumentPipeline } from '../pipeline.js';
import type { Period } from '../trade-bars.js';
import { BookRows } from './book-rows.js';
import { Instruments, type RowState } from './instruments.js';
import { MessageRows } from './message-rows.js';

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
  const { schema, dataType, period, isSelected } = options;
  const types = options.types.filter(({ dayFileType }) => dayFileType === dataType);
  /** The messages that are the rows themselves; undefined if they are not requested. */
  const source = types.find((type) => type.kind === 'source')?.name;
  const computed = new ComputedLines();
  const createState = (instrument: Instrument): RowState | undefined => {
    if (isSelected && !isSelected(instrument.symbol)) return undefined;
    const pipeline = new InstrumentPipeline(instrument, types, computed);
    return { head: createLineHead(source ?? '', instrument), pipeline };
  };
  const instruments = new Instruments(schema, createState);
  if (dataType === 'incremental_book_L2') {
    const rows = new BookRows(schema, instruments, period, source && new BookChangeLines(schema));
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
  const lines = source && source !== 'book_change' ? new RowLines(source, schema) : undefined;
  const hasBars = types.some(({ kind }) => kind === 'trade_bar');
  const rows = new MessageRows(schema, instruments, period, lines, hasBars);
  return {
    push(batch, out) {
      computed.out = out;
      rows.push(batch, out);
    },
    end() {},
  };
}
