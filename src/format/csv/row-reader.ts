import type { Batch, NumberText, Schema } from '../batch.js';
import { ColumnParser } from '../columns/column-kernel.js';
import { ColumnMemory } from '../columns/column-memory.js';
import { maxBatchTextBytes } from '../output-format.js';
import { createLineError, MAX_LINE_BYTES, type SourceLine, TOO_LONG, UNCLOSED } from './csv-cells.js';
import { type DayFileHeader, HeaderReader, type HeaderText } from './csv-header.js';
import { parseRecords, RecordEndFinder } from './quoted-records.js';

const LF = 10;
const QUOTE = 34;

/** Maximum of a memory of rows, 1 GiB: batches are small, and a conversion to a computed type has a kernel, too. */
const MAX_PAGES = 16_384;

export interface RowReaderOptions {
  /** Path of the source, for messages. */
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Rows per batch, or rows per batch for a number of columns. */
  readonly batchRows: number | ((columns: number) => number);
  /** The numbers that keep their text; none by default. */
  readonly numberText?: NumberText | undefined;
  /**
   * Whether cells of the leading columns may be empty, too, and an empty file of an unknown data type has no rows and no
   * schema; otherwise both are errors.
   */
  readonly allowsEmpty?: boolean | undefined;
  /**
   * Memories that readers of one thread use in turns, one for each header. Empty at first. All these readers must have
   * the same other options. Iterate over the result of `push` completely before another of them continues. The last
   * batch of each `push` may then have fewer rows.
   */
  readonly memories?: Map<string, ColumnMemory> | undefined;
}

/**
 * Parses a day file's text into batches of columns (docs/spec/csv-files.md#form): `push` takes the bytes in chunks
 * of any size and yields batches, each valid until the next is requested. From the first line with a quote
 * on, csv-parse finds the cells.
 *
 * Iterate over the results of `push` and `end` completely: the iteration does the work. It throws a
 * TickhaulError `corrupt` with line, column and cell, after the complete rows before it; the reader must not
 * be used after that. The chunk may be reused afterwards.
 */
export class RowReader {
  readonly #options: RowReaderOptions;
  readonly #headerReader: HeaderReader;
  #header: DayFileHeader | undefined;
  /** Set when the header is, with the limits of a batch. */
  #memory!: ColumnMemory;
  #columns!: ColumnParser;
  #batchRows = 0;
  #maxTextBytes = 0;
  /** Length of the unparsed text in the memory's piece; it always begins at the start of a line. */
  #filled = 0;
  #rows = 0;
  /** Text of the rows in the memory. */
  #textBytes = 0;
  /** Set after the first quote. */
  #recordEnds: RecordEndFinder | undefined;
  /** Unparsed text, while other readers use the memory. */
  #savedText = Buffer.alloc(0);

  constructor(options: RowReaderOptions) {
    this.#options = options;
    this.#headerReader = new HeaderReader(options.path, options.dataType);
  }

  /** Set after the first batch, and after `end`. */
  get schema(): Schema {
    return this.#header?.schema ?? [];
  }

  /** Set when the schema is. */
  get dataType(): string {
    return this.#header?.dataType ?? '';
  }

  /** Lists the columns that the data type is not known to have; undefined if there are none. */
  get warning(): string | undefined {
    return this.#header?.warning;
  }

  /** Number of rows in the batches so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Starts in the middle of a file with this header: the next `push` starts at the given line. */
  skipTo(header: Buffer, line: number): void {
    const found = this.#headerReader.push(header) ?? this.#headerReader.end();
    this.#start({ ...found, nextLine: line });
  }

  /** Parses gunzipped bytes; yields the full batches. */
  *push(chunk: Buffer): Generator<Batch, void, undefined> {
    let text = chunk;
    if (!this.#header) {
      const found = this.#headerReader.push(chunk);
      if (!found) return;
      this.#start(found);
      text = found.rest;
    }
    this.#restorePiece();
    yield* this.#orRowsBeforeError(this.#appendChunk(text));
    yield* this.#savePiece();
  }

  /**
   * Ends the file; yields the remaining rows.
   * @throws also TickhaulError `usage` for an empty file of an unknown data type, unless it is allowed.
   */
  *end(): Generator<Batch, void, undefined> {
    if (!this.#header) {
      const { dataType, allowsEmpty } = this.#options;
      if (allowsEmpty && dataType === undefined && this.#headerReader.isEmpty) return;
      this.#start(this.#headerReader.end());
    }
    this.#restorePiece();
    if (this.#filled > 0) {
      this.#memory.piece[this.#filled++] = LF;
      yield* this.#orRowsBeforeError(this.#parseUntil(this.#filled));
    }
    yield* this.#yieldRest();
  }

  #start({ header, isQuoted, nextLine }: HeaderText): void {
    const { path, batchRows, numberText = 'none', allowsEmpty, memories } = this.#options;
    const { schema, dataType } = header;
    const kind = `${dataType}\n${schema.map(({ name }) => name)}`;
    this.#memory = memories?.get(kind) ?? new ColumnMemory(MAX_PAGES);
    memories?.set(kind, this.#memory);
    this.#batchRows = typeof batchRows === 'number' ? batchRows : batchRows(schema.length);
    this.#maxTextBytes = maxBatchTextBytes(this.#batchRows);
    if (this.#memory.schema.length === 0) this.#memory.open(schema, this.#batchRows, numberText, allowsEmpty);
    this.#columns = new ColumnParser(this.#memory, path, nextLine);
    if (isQuoted) this.#recordEnds = new RecordEndFinder();
    this.#header = header;
  }

  /** An error also yields the rows before it: a caller may find an error in one of them. */
  *#orRowsBeforeError(batches: Generator<Batch, void, undefined>): Generator<Batch, void, undefined> {
    try {
      yield* batches;
    } catch (error) {
      this.#memory.kernel.dropPartialRow();
      yield* this.#yieldRest();
      throw error;
    }
  }

  *#appendChunk(chunk: Buffer): Generator<Batch, void, undefined> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + MAX_LINE_BYTES - this.#filled);
      part.copy(this.#memory.piece, this.#filled);
      yield* this.#parseAppended(part);
      at += part.length;
      if (this.#filled === MAX_LINE_BYTES) {
        throw createLineError(this.#position(), this.#recordEnds?.inQuotes ? UNCLOSED : TOO_LONG);
      }
    }
  }

  /** Another reader may have left a partial batch. */
  #restorePiece(): void {
    if (!this.#options.memories) return;
    this.#memory.clear();
    this.#memory.piece.set(this.#savedText);
  }

  *#savePiece(): Generator<Batch, void, undefined> {
    if (!this.#options.memories) return;
    yield* this.#yieldRest();
    this.#savedText = Buffer.from(this.#memory.piece.subarray(0, this.#filled));
  }

  /** `part` is already copied to the end of the unparsed text. */
  *#parseAppended(part: Buffer): Generator<Batch, void, undefined> {
    let scanStart = this.#filled;
    this.#filled += part.length;
    if (!this.#recordEnds) {
      const quote = part.indexOf(QUOTE);
      const unquoted = quote < 0 ? part : part.subarray(0, quote);
      const end = unquoted.lastIndexOf(LF);
      if (end >= 0) yield* this.#parseUntil(scanStart + end + 1);
      if (quote < 0) return;
      this.#recordEnds = new RecordEndFinder();
      scanStart = 0;
    }
    const end = this.#recordEnds.scan(this.#memory.piece, scanStart, this.#filled);
    if (end > 0) yield* this.#parseUntil(end);
  }

  /** Parses up to `end`, which is the end of a row, and moves the rest to the front. */
  *#parseUntil(end: number): Generator<Batch, void, undefined> {
    yield* this.#recordEnds ? this.#parseRecords(end) : this.#parseRows(end);
    this.#memory.piece.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  *#parseRows(end: number): Generator<Batch, void, undefined> {
    for (let position = 0; position < end; ) {
      const start = position;
      position = this.#columns.parse(start, end, start + this.#maxTextBytes - this.#textBytes);
      yield* this.#addText(position - start);
    }
  }

  *#parseRecords(end: number): Generator<Batch, void, undefined> {
    const text = this.#memory.piece.subarray(0, end);
    const names = this.schema.map(({ name }) => name);
    for (const record of parseRecords(text, this.#position(), names)) {
      this.#columns.appendRow(record);
      yield* this.#addText(record.reduce((sum, cell) => sum + cell.length + 1, 0));
    }
  }

  /** Counts the text of parsed rows; yields the batch if it has all its rows or all its text. */
  *#addText(bytes: number): Generator<Batch, void, undefined> {
    this.#textBytes += bytes;
    if (this.#memory.rows === this.#batchRows || this.#textBytes >= this.#maxTextBytes)
      yield* this.#yieldBatch();
  }

  *#yieldRest(): Generator<Batch, void, undefined> {
    if (this.#memory.rows > 0) yield* this.#yieldBatch();
  }

  *#yieldBatch(): Generator<Batch, void, undefined> {
    const { rows } = this.#memory;
    this.#rows += rows;
    this.#textBytes = 0;
    const { source, line } = this.#position();
    // Off for rows that follow a cell containing a line feed; otherwise exact.
    yield { firstLine: { source, line: line - rows }, ...this.#memory.view() };
    this.#memory.clear();
  }

  #position(): SourceLine {
    return { source: this.#options.path, line: this.#columns.line };
  }
}
