import type { Batch, ColumnData, Schema } from '../../format/columns.js';
import { DayFileReader, type ReaderOptions } from '../../format/csv/day-file-reader.js';
import { schemaOf } from '../../format/csv/header.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createDayFileLines, type DayFileLines, type DayFileLinesOptions } from './day-file-lines.js';
import type { RowTally } from './row-tally.js';

/** Cells a batch: those of a whole text, as a rule. */
const BATCH_CELLS = 64 * 1024;

export type ColumnMemories = NonNullable<ReaderOptions['memories']>;

/** Text to columns to lines (TextLines): any types, and whatever a day file may hold. */
export class BatchTextLines {
  readonly #options: Omit<DayFileLinesOptions, 'schema'>;
  readonly #memories: ColumnMemories;
  readonly #schema: Schema;
  /** Books and bars go on from one day file to the next, as in one stream, whatever columns the next has besides. */
  readonly #lines: DayFileLines;
  #reader: DayFileReader;
  #tally: RowTally | undefined;

  constructor(options: Omit<DayFileLinesOptions, 'schema'>, memories: ColumnMemories) {
    this.#options = options;
    this.#memories = memories;
    this.#schema = schemaOf(options.dataType);
    this.#lines = createDayFileLines({ ...options, schema: this.#schema });
    this.#reader = this.#read('');
  }

  open(tally: RowTally): void {
    this.#tally = tally;
    this.#reader = this.#read(tally.path);
  }

  /** Begins in the middle of a day file: the next text is that of this line. */
  openAt(tally: RowTally, header: Buffer, line: number): void {
    this.open(tally);
    this.#reader.skipTo(header, line);
  }

  push(text: Buffer, out: LineBuffer): void {
    this.#take(this.#reader.push(text), out);
  }

  end(out: LineBuffer): void {
    this.#take(this.#reader.end(), out);
    this.#lines.end(out);
  }

  #take(batches: Iterable<Batch>, out: LineBuffer): void {
    for (const batch of batches) {
      const ordered = this.#inOrder(batch);
      this.#tally?.add(this.#schema, ordered);
      this.#lines.push(ordered, out);
    }
  }

  #read(path: string): DayFileReader {
    return new DayFileReader({
      path,
      dataType: this.#options.dataType,
      batchRows: (columns) => Math.max(512, Math.floor(BATCH_CELLS / columns)),
      numberText: false,
      memories: this.#memories,
    });
  }

  /** With the columns of the data type alone: a header has all of them, in any order. */
  #inOrder({ place, rows, columns }: Batch): Batch {
    const names = this.#reader.schema.map(({ name }) => name);
    return {
      place,
      rows,
      columns: this.#schema.map(({ name }) => columns[names.indexOf(name)] as ColumnData),
    };
  }
}
