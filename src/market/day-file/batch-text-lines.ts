import type { Batch, ColumnData, Schema } from '../../format/batch.js';
import { dataTypeSchema } from '../../format/csv/csv-header.js';
import { DayFileReader, type ReaderOptions } from '../../format/csv/day-file-reader.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createDayFileLines, type DayFileLines, type DayFileLinesOptions } from './day-file-lines.js';
import type { RowTally } from './row-tally.js';

/** Cells per batch: usually those of a whole text. */
const BATCH_CELLS = 64 * 1024;

export type ColumnMemories = NonNullable<ReaderOptions['memories']>;

/**
 * Converts text to columns and columns to lines (`TextLines`), for all types and any content of day files.
 */
export class BatchTextLines {
  readonly #options: Omit<DayFileLinesOptions, 'schema'>;
  readonly #memories: ColumnMemories;
  readonly #schema: Schema;
  /** Books and bars continue from one day file to the next, even if its columns differ. */
  readonly #lines: DayFileLines;
  #reader: DayFileReader;
  #tally: RowTally | undefined;

  constructor(options: Omit<DayFileLinesOptions, 'schema'>, memories: ColumnMemories) {
    this.#options = options;
    this.#memories = memories;
    this.#schema = dataTypeSchema(options.dataType);
    this.#lines = createDayFileLines({ ...options, schema: this.#schema });
    this.#reader = this.#createReader('');
  }

  open(tally: RowTally): void {
    this.#tally = tally;
    this.#reader = this.#createReader(tally.path);
  }

  /** Starts in the middle of a day file: the next text begins at this line. */
  openAt(tally: RowTally, header: Buffer, line: number): void {
    this.open(tally);
    this.#reader.skipTo(header, line);
  }

  push(text: Buffer, out: LineBuffer): void {
    this.#addBatches(this.#reader.push(text), out);
  }

  end(out: LineBuffer): void {
    this.#addBatches(this.#reader.end(), out);
    this.#lines.end(out);
  }

  #addBatches(batches: Iterable<Batch>, out: LineBuffer): void {
    for (const batch of batches) {
      const selected = this.#selectColumns(batch);
      this.#tally?.add(this.#schema, selected);
      this.#lines.push(selected, out);
    }
  }

  #createReader(path: string): DayFileReader {
    return new DayFileReader({
      path,
      dataType: this.#options.dataType,
      batchRows: (columns) => Math.max(512, Math.floor(BATCH_CELLS / columns)),
      numberText: 'none',
      memories: this.#memories,
    });
  }

  /** Selects the columns of the data type: a header may have more, in any order. */
  #selectColumns({ firstLine, rows, columns }: Batch): Batch {
    const names = this.#reader.schema.map(({ name }) => name);
    return {
      firstLine,
      rows,
      columns: this.#schema.map(({ name }) => columns[names.indexOf(name)] as ColumnData),
    };
  }
}
