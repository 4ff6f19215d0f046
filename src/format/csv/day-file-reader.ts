import { TickhaulError } from '../../base/errors.js';
import type { Batch, NumberText, Schema } from '../batch.js';
import { ColumnParser } from '../kernel/column-kernel.js';
import { ColumnMemory } from '../kernel/column-memory.js';
import { maxBatchTextBytes } from '../output-format.js';
import { createLineError, MAX_LINE_BYTES, type SourceLine, splitLine, TOO_LONG } from './csv-cells.js';
import {
  dataTypeSchema,
  HeaderBuffer,
  inferDataType,
  parseCsvHeader,
  parseHeaderNames,
} from './csv-header.js';
import { countRecordLines, parseRecords, RecordEndFinder } from './quoted-records.js';

/** Maximum of a memory of rows, 1 GiB: batches are small, and a conversion to a computed type has a kernel, too. */
const MAX_PAGES = 16_384;

export interface ReaderOptions {
  /** Path of the source, for messages. */
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Rows per batch for a number of columns. */
  readonly batchRows: (columns: number) => number;
  readonly numberText: NumberText;
  /** Whether cells of the leading columns may be empty, too. */
  readonly allowsEmptyCells?: boolean | undefined;
  /** Whether an empty file of an unknown data type has no rows and no schema; otherwise it is an error. */
  readonly allowsEmptyFile?: boolean | undefined;
  /**
   * Memories that the readers of one thread use in turns (`CsvOptions`). All of them must have the same
   * options. Empty at first.
   */
  readonly memories?: Map<string, ColumnMemory> | undefined;
}

/**
 * Parses a day file's text into batches of columns. It buffers the header, which may determine the data type,
 * and then behaves like `CsvParser`.
 */
export class DayFileReader {
  readonly #options: ReaderOptions;
  readonly #head = new HeaderBuffer();
  #dataType = '';
  #parser: CsvParser | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Set after the first batch, and after `end`. */
  get schema(): Schema {
    return this.#parser?.schema ?? [];
  }

  /** Set when the schema is. */
  get dataType(): string {
    return this.#dataType;
  }

  /** Lists the columns that the data type is not known to have. */
  get warning(): string | undefined {
    return this.#parser?.warning;
  }

  get rows(): number {
    return this.#parser?.rows ?? 0;
  }

  push(text: Buffer): Iterable<Batch> {
    if (this.#parser) return this.#parser.push(text);
    const head = this.#head.push(text);
    return head ? this.#open(head).push(head) : [];
  }

  /** Starts in the middle of a file with this header: the next `push` starts at the given line. */
  skipTo(header: Buffer, line: number): void {
    const parser = this.#open(header);
    parser.skipTo(header, line);
  }

  /** @throws also TickhaulError `usage` for an empty file of an unknown data type, unless it is allowed. */
  end(): Iterable<Batch> {
    if (this.#parser) return this.#parser.end();
    const head = this.#head.bytes;
    const { path, dataType, allowsEmptyFile } = this.#options;
    if (head.length === 0 && dataType === undefined) {
      if (allowsEmptyFile) return [];
      const message = `${path}: the file is empty and its name does not state the data type; set it with --type`;
      throw new TickhaulError('usage', message);
    }
    return pushAll(this.#open(head), head);
  }

  #open(head: Buffer): CsvParser {
    const { path, dataType, batchRows, numberText, allowsEmptyCells, memories } = this.#options;
    const names = parseHeaderNames(head);
    this.#dataType = dataType ?? inferDataType(names) ?? 'unknown';
    this.#parser = new CsvParser({
      source: path,
      dataType: this.#dataType,
      batchRows: batchRows(names.length),
      numberText,
      allowsEmptyCells,
      sharedMemory: memories && getMemory(memories, `${this.#dataType}\n${names}`),
    });
    return this.#parser;
  }
}

function getMemory(memories: Map<string, ColumnMemory>, kind: string): ColumnMemory {
  const memory = memories.get(kind) ?? new ColumnMemory(MAX_PAGES);
  memories.set(kind, memory);
  return memory;
}

function* pushAll(parser: CsvParser, text: Buffer): Generator<Batch, void, undefined> {
  yield* parser.push(text);
  yield* parser.end();
}

const LF = 10;
const QUOTE = 34;

const UNCLOSED = `a quote is opened that is not closed within ${MAX_LINE_BYTES} bytes`;

export interface CsvOptions {
  /** Path of the file, for messages. */
  readonly source: string;
  readonly dataType: string;
  /** Rows per batch. */
  readonly batchRows: number;
  /** The numbers that keep their text; none by default. */
  readonly numberText?: NumberText | undefined;
  /** Whether cells of the leading columns may be empty, too. */
  readonly allowsEmptyCells?: boolean | undefined;
  /**
   * Memory that parsers of one thread use in turns, each for rows with the same header, data type and batch
   * size. Iterate over the result of `push` completely before another of them continues. The last batch of
   * each `push` may then have fewer rows.
   */
  readonly sharedMemory?: ColumnMemory | undefined;
}

/**
 * Parses a day file's CSV into batches of columns (docs/spec/csv-files.md#form): `push` takes the bytes in chunks
 * of any size and yields batches, each valid until the next is requested. From the first line with a quote
 * on, csv-parse finds the cells.
 *
 * Iterate over the results of `push` and `end` completely: the iteration does the work. It throws a
 * TickhaulError `corrupt` with line, column and cell, after the complete rows before it; the parser must not
 * be used after that. The chunk may be reused afterwards.
 */
export class CsvParser {
  readonly #options: CsvOptions;
  readonly #memory: ColumnMemory;
  /** Length of the unparsed text in the memory's piece; it always begins at the start of a line. */
  #filled = 0;
  /** Line at the start of the piece, until the header is parsed. */
  #line = 1;
  #rows = 0;
  readonly #maxTextBytes: number;
  /** Text of the rows in the memory. */
  #textBytes = 0;
  #schema: Schema | undefined;
  #warning: string | undefined;
  #columns: ColumnParser | undefined;
  /** Set after the first quote. */
  #recordEnds: RecordEndFinder | undefined;
  /** Unparsed text, while other parsers use the memory. */
  #savedText = Buffer.alloc(0);

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#memory = options.sharedMemory ?? new ColumnMemory(MAX_PAGES);
    this.#maxTextBytes = maxBatchTextBytes(options.batchRows);
  }

  /** Set after the header, before the first batch; always set after `end`. */
  get schema(): Schema | undefined {
    return this.#schema;
  }

  /** Lists the columns that the data type is not known to have; undefined if there are none. */
  get warning(): string | undefined {
    return this.#warning;
  }

  /** Number of rows in the batches so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Reads the header only; the next `push` starts at the given line. */
  skipTo(header: Buffer, line: number): void {
    const lines = header.indexOf(LF) + 1;
    this.#readHeader(splitLine(header.subarray(0, lines - 1)), line - 1);
  }

  /** Parses gunzipped bytes; yields the full batches. */
  *push(chunk: Buffer): Generator<Batch, void, undefined> {
    this.#restorePiece();
    yield* this.#orRowsBeforeError(this.#appendChunk(chunk));
    yield* this.#savePiece();
  }

  /** Ends the file; yields the remaining rows. */
  *end(): Generator<Batch, void, undefined> {
    this.#restorePiece();
    if (this.#filled > 0) {
      this.#memory.piece[this.#filled++] = LF;
      yield* this.#orRowsBeforeError(this.#parseUntil(this.#filled));
    }
    this.#schema ??= dataTypeSchema(this.#options.dataType);
    yield* this.#yieldRest();
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

  /** Another parser may have left a partial batch. */
  #restorePiece(): void {
    if (!this.#options.sharedMemory) return;
    this.#memory.clear();
    this.#memory.piece.set(this.#savedText);
  }

  *#savePiece(): Generator<Batch, void, undefined> {
    if (!this.#options.sharedMemory) return;
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
    let position = 0;
    if (!this.#columns) {
      position = this.#memory.piece.indexOf(LF) + 1;
      this.#readHeader(splitLine(this.#memory.piece.subarray(0, position - 1)), 1);
    }
    const columns = this.#columns as ColumnParser | undefined;
    while (columns && position < end) {
      const start = position;
      position = columns.parse(start, end, start + this.#maxTextBytes - this.#textBytes);
      yield* this.#addText(position - start);
    }
  }

  *#parseRecords(end: number): Generator<Batch, void, undefined> {
    const text = this.#memory.piece.subarray(0, end);
    for (const record of parseRecords(text, this.#position(), this.#columnNames())) {
      if (!this.#columns) {
        this.#readHeader(record, countRecordLines(record));
        continue;
      }
      this.#columns.appendRow(record);
      yield* this.#addText(record.reduce((sum, cell) => sum + cell.length + 1, 0));
    }
  }

  /** Counts the text of parsed rows; yields the batch if it has all its rows or all its text. */
  *#addText(bytes: number): Generator<Batch, void, undefined> {
    this.#textBytes += bytes;
    if (this.#memory.rows === this.#options.batchRows || this.#textBytes >= this.#maxTextBytes)
      yield* this.#yieldBatch();
  }

  #readHeader(cells: readonly Uint8Array[], lines: number): void {
    const { source, dataType, batchRows, numberText = 'none', allowsEmptyCells } = this.#options;
    const { schema, warning } = parseCsvHeader(cells, source, dataType);
    this.#schema = schema;
    this.#warning = warning;
    this.#line += lines;
    if (this.#memory.schema.length === 0) this.#memory.open(schema, batchRows, numberText, allowsEmptyCells);
    this.#columns = new ColumnParser(this.#memory, source, this.#line);
  }

  *#yieldRest(): Generator<Batch, void, undefined> {
    if (this.#columns && this.#memory.rows > 0) yield* this.#yieldBatch();
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

  #columnNames(): string[] {
    return (this.#schema ?? []).map(({ name }) => name);
  }

  #position(): SourceLine {
    return { source: this.#options.source, line: this.#columns?.line ?? this.#line };
  }
}
