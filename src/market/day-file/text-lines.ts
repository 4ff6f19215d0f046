import type { Batch, ColumnData, Schema } from '../../format/batch.js';
import { dataTypeSchema } from '../../format/csv/csv-header.js';
import { RowReader, type RowReaderOptions } from '../../format/csv/row-reader.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { ExchangeMessageTypeName } from '../message-type-name.js';
import type { Period } from '../trade-bars.js';
import { createDayFileLines, type DayFileLines, type DayFileLinesOptions } from './day-file-lines.js';
import { MessageKernel, PERIOD_PHASE } from './message-kernel.js';
import type { RowTally } from './row-tally.js';

/** Formats day files of one kind as lines, one file after the other. Each piece of text adds its lines. */
interface TextLines {
  /** Starts a day file. @param tally counts its rows. */
  open(tally: RowTally): void;
  /**
   * Formats gunzipped text, which may be reused afterwards.
   * @throws TickhaulError `corrupt`; then it must not be used.
   */
  push(text: Buffer, out: LineBuffer): void;
  /** Ends the day file. Throws as `push` does. */
  end(out: LineBuffer): void;
}

/** Memory that all `TextLines` of a thread share, since they work in turns. */
export interface LineMemories {
  readonly columns: ColumnMemories;
  readonly kernels: MessageKernels;
}

export function createLineMemories(): LineMemories {
  return { columns: new Map(), kernels: new Map() };
}

/** Uses a kernel if exactly one message type is requested: computed types need columns. */
export function createTextLines(options: DayFileLinesOptions, memories: LineMemories): TextLines {
  const [type, ...others] = options.types.filter(({ dayFileType }) => dayFileType === options.dataType);
  const createBatchLines = (period = options.period): BatchTextLines =>
    new BatchTextLines({ ...options, period }, memories.columns);
  if (type?.kind !== 'source' || others.length > 0 || options.isSelected) return createBatchLines();
  return new KernelTextLines(type.name, options.period, memories.kernels, createBatchLines);
}

const LF = 10;
const QUOTE = 34;

/** Maximum row length of `BatchTextLines`. */
const MAX_ROW_BYTES = 1024 * 1024;
/** Larger book changes are left to `BatchTextLines`, which holds less text. */
const MAX_CHANGE_BYTES = 64 * 1024 * 1024;

/** Kernels of one thread. */
type MessageKernels = Map<ExchangeMessageTypeName, MessageKernel>;

/**
 * Formats text as lines without intermediate columns (`TextLines`). From the first row in an unusual form on,
 * `BatchTextLines` takes over, also for all further files.
 */
class KernelTextLines {
  readonly #kernel: MessageKernel;
  readonly #createBatchLines: (period: Period) => BatchTextLines;
  #period: Period;
  #phase: number = PERIOD_PHASE.before;
  #batchLines: BatchTextLines | undefined;
  #tally: RowTally | undefined;
  /** Line of the file at the start of the held text. */
  #line = 1;
  /** Text that is not yet formatted, and the length from which formatting is worthwhile. */
  #held: Buffer[] = [];
  #length = 0;
  #minLength = 0;

  constructor(
    type: ExchangeMessageTypeName,
    period: Period,
    kernels: MessageKernels,
    createBatchLines: (period: Period) => BatchTextLines,
  ) {
    this.#kernel = kernels.get(type) ?? new MessageKernel(type);
    kernels.set(type, this.#kernel);
    this.#period = period;
    this.#createBatchLines = createBatchLines;
  }

  open(tally: RowTally): void {
    this.#batchLines?.open(tally);
    this.#tally = tally;
    this.#line = 1;
    this.#setHeld([], this.#kernel.header.length);
  }

  push(text: Buffer, out: LineBuffer): void {
    if (this.#batchLines) {
      this.#batchLines.push(text, out);
      return;
    }
    this.#held.push(text);
    this.#length += text.length;
    if (text.includes(QUOTE)) this.#switchToBatches(out);
    else if (this.#length >= this.#minLength) this.#format(false, out);
    else this.#held[this.#held.length - 1] = Buffer.from(text);
  }

  end(out: LineBuffer): void {
    if (!this.#batchLines) this.#format(true, out);
    this.#batchLines?.end(out);
  }

  #format(isEnd: boolean, out: LineBuffer): void {
    const kernel = this.#kernel;
    const { header } = kernel;
    const text = kernel.load(this.#held);
    let from = 0;
    if (this.#line === 1) {
      if (this.#length < header.length || !header.equals(text.subarray(0, header.length))) {
        this.#switchToBatches(out);
        return;
      }
      from = header.length;
      this.#line = 2;
    }
    let to = this.#length;
    if (!isEnd) to = text.lastIndexOf(LF, to - 1) + 1;
    else if (to > from && text[to - 1] !== LF) text[to++] = LF;
    const tally = this.#getTally();
    const result = kernel.format({ from, to, isEnd, period: this.#period, phase: this.#phase, tally }, out);
    this.#line += result.rows;
    this.#phase = result.phase;
    const rest = Buffer.from(kernel.text(result.position, this.#length));
    const hasRow = result.position < to;
    // Double the length: otherwise each piece of a large change would scan the whole change again.
    this.#setHeld([rest], hasRow ? 2 * rest.length : 0);
    if (result.isUnusual || rest.length > (hasRow ? MAX_CHANGE_BYTES : MAX_ROW_BYTES))
      this.#switchToBatches(out);
  }

  #getTally(): RowTally {
    if (!this.#tally) throw new Error('no day file is open');
    return this.#tally;
  }

  #setHeld(held: Buffer[], minLength: number): void {
    this.#held = held;
    this.#length = held.reduce((sum, { length }) => sum + length, 0);
    this.#minLength = minLength;
  }

  /** Passes the rest of the file, starting with the held text, to `BatchTextLines`, at the same position. */
  #switchToBatches(out: LineBuffer): void {
    const { start, end } = this.#period;
    const batchLines = this.#createBatchLines({
      start: this.#phase === PERIOD_PHASE.within ? Number.NEGATIVE_INFINITY : start,
      end: this.#phase === PERIOD_PHASE.after ? Number.NEGATIVE_INFINITY : end,
    });
    if (this.#line === 1) batchLines.open(this.#getTally());
    else batchLines.openAt(this.#getTally(), this.#kernel.header, this.#line);
    this.#batchLines = batchLines;
    for (const text of this.#held) batchLines.push(text, out);
    this.#setHeld([], 0);
  }
}

/** Cells per batch: usually those of a whole text. */
const BATCH_CELLS = 64 * 1024;

type ColumnMemories = NonNullable<RowReaderOptions['memories']>;

/**
 * Converts text to columns and columns to lines (`TextLines`), for all types and any content of day files.
 */
class BatchTextLines {
  readonly #options: DayFileLinesOptions;
  readonly #memories: ColumnMemories;
  readonly #schema: Schema;
  /** Books and bars continue from one day file to the next, even if its columns differ. */
  readonly #lines: DayFileLines;
  #reader: RowReader;
  #tally: RowTally | undefined;

  constructor(options: DayFileLinesOptions, memories: ColumnMemories) {
    this.#options = options;
    this.#memories = memories;
    this.#schema = dataTypeSchema(options.dataType);
    this.#lines = createDayFileLines(options);
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
      this.#tally?.add(selected);
      this.#lines.push(selected, out);
    }
  }

  #createReader(path: string): RowReader {
    return new RowReader({
      path,
      dataType: this.#options.dataType,
      batchRows: (columns) => Math.max(512, Math.floor(BATCH_CELLS / columns)),
      numberText: 'none',
      memories: this.#memories,
    });
  }

  /** Selects the columns of the data type: a header may have more, in any order. */
  #selectColumns({ firstLine, rows, schema, columns }: Batch): Batch {
    const names = schema.map(({ name }) => name);
    return {
      firstLine,
      rows,
      schema: this.#schema,
      columns: this.#schema.map(({ name }) => columns[names.indexOf(name)] as ColumnData),
    };
  }
}
