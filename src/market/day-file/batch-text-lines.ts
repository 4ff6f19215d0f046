import { DayFileReader, type ReaderOptions } from '../../format/csv/day-file-reader.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import { createDayFileLines, type DayFileLines, type DayFileLinesOptions } from './day-file-lines.js';

/** Cells a batch: those of a whole text, as a rule. */
const BATCH_CELLS = 64 * 1024;

export type ColumnMemories = NonNullable<ReaderOptions['memories']>;

/** Text to columns to lines (TextLines): any types, and whatever a day file may hold. */
export class BatchTextLines {
  readonly #options: Omit<DayFileLinesOptions, 'schema'>;
  readonly #memories: ColumnMemories;
  #reader: DayFileReader;
  /** Books and bars go on from one day file to the next, as in one stream. */
  #lines: DayFileLines | undefined;
  /** The columns that they were made for. */
  #names = '';

  constructor(options: Omit<DayFileLinesOptions, 'schema'>, memories: ColumnMemories) {
    this.#options = options;
    this.#memories = memories;
    this.#reader = this.#read('');
  }

  open(path: string): void {
    this.#reader = this.#read(path);
  }

  /** Begins in the middle of a day file: the next text is that of this line. */
  openAt(path: string, header: Buffer, line: number): void {
    this.open(path);
    this.#reader.skipTo(header, line);
  }

  push(text: Buffer, out: LineBuffer): void {
    for (const batch of this.#reader.push(text)) this.#linesNow().push(batch, out);
  }

  end(out: LineBuffer): void {
    for (const batch of this.#reader.end()) this.#linesNow().push(batch, out);
    this.#lines?.end(out);
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

  #linesNow(): DayFileLines {
    const { schema } = this.#reader;
    const names = schema.map(({ name }) => name).join();
    if (!this.#lines || names !== this.#names) this.#lines = createDayFileLines({ ...this.#options, schema });
    this.#names = names;
    return this.#lines;
  }
}
