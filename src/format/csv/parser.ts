import type { Batch, Schema } from '../columns.js';
import { ColumnMemory } from '../kernel/column-memory.js';
import { ColumnParser } from '../kernel/column-parser.js';
import { lineError, type SourceLine } from './errors.js';
import { readHeader, schemaOf } from './header.js';
import { splitLine } from './line.js';
import { linesOf, parseRecords, RecordEnds } from './quoted.js';

const LF = 10;
const QUOTE = 34;

/** The longest line, in bytes; real ones have some hundreds. It bounds the memory that a parser needs. */
const MAX_LINE = 1024 * 1024;
const TOO_LONG = `the line is longer than ${MAX_LINE} bytes: this is not a day file`;
const UNCLOSED = `a quote is opened that nothing closes within ${MAX_LINE} bytes`;

export interface CsvOptions {
  /** The file's name, for messages. */
  readonly source: string;
  readonly dataType: string;
  /** Rows a batch. */
  readonly batchRows: number;
  /** Whether number columns bring their digits too (`NumberColumn.text`). */
  readonly numberText?: boolean | undefined;
  /**
   * A memory that parsers of one thread use in turns, each for rows of the same header, data type and size of batches.
   * What `push` gives must be gone through before another of them goes on; its last batch need not be full then.
   */
  readonly shared?: ColumnMemory | undefined;
}

/**
 * Reads a day file's CSV into batches of columns (service facts, CSV layouts): bytes go in by `push`, in chunks
 * cut anywhere, and batches come out, each good until the next is asked for. Lines end in LF, or CRLF; the last may
 * lack it. From the first line on that has a quote in it, csv-parse finds the cells.
 *
 * What `push` and `end` give must be gone through to its end: that is the work. Doing so throws a TickhaulError
 * `corrupt` that names line, column and cell; the parser is of no use after that. The chunk may be reused then.
 */
export class CsvParser {
  readonly #options: CsvOptions;
  readonly #memory: ColumnMemory;
  /** How much of the memory's piece is not parsed yet: it always begins with a line's first byte. */
  #filled = 0;
  /** Of the line that the piece begins with, until there are columns: that is the header's. */
  #line = 1;
  #rows = 0;
  #schema: Schema | undefined;
  #warning: string | undefined;
  #columns: ColumnParser | undefined;
  /** Once there was a quote. */
  #recordEnds: RecordEnds | undefined;
  /** What is not parsed yet, while others have the memory. */
  #rest = Buffer.alloc(0);

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#memory = options.shared ?? new ColumnMemory();
  }

  /** Known once the header was read, which is before the first batch; at the end always. */
  get schema(): Schema | undefined {
    return this.#schema;
  }

  /** Columns that the data type isn't known to have; undefined where there are none. */
  get warning(): string | undefined {
    return this.#warning;
  }

  /** Rows so far, the header not counted. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes the header alone; the next bytes are those of the given line. */
  skipTo(header: Buffer, line: number): void {
    const lines = header.indexOf(LF) + 1;
    this.#readHeader(splitLine(header.subarray(0, lines - 1)), line - 1);
  }

  /** Takes gunzipped bytes; gives the batches that they made full. */
  *push(chunk: Buffer): Generator<Batch, void, undefined> {
    this.#takeTurn();
    yield* this.#add(chunk);
    yield* this.#endTurn();
  }

  /** The file ended; gives what is left. */
  *end(): Generator<Batch, void, undefined> {
    this.#takeTurn();
    if (this.#filled > 0) {
      this.#memory.piece[this.#filled++] = LF;
      yield* this.#take(this.#filled);
    }
    this.#schema ??= schemaOf(this.#options.dataType);
    if (this.#columns && this.#memory.rows > 0) yield* this.#takeOut();
  }

  *#add(chunk: Buffer): Generator<Batch, void, undefined> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + MAX_LINE - this.#filled);
      part.copy(this.#memory.piece, this.#filled);
      yield* this.#consume(part);
      at += part.length;
      if (this.#filled === MAX_LINE) {
        throw lineError(this.#place(), this.#recordEnds?.inQuotes ? UNCLOSED : TOO_LONG);
      }
    }
  }

  /** Whoever was there before may have left in the middle of a batch. */
  #takeTurn(): void {
    if (!this.#options.shared) return;
    this.#memory.clear();
    this.#memory.piece.set(this.#rest);
  }

  *#endTurn(): Generator<Batch, void, undefined> {
    if (!this.#options.shared) return;
    if (this.#columns && this.#memory.rows > 0) yield* this.#takeOut();
    this.#rest = Buffer.from(this.#memory.piece.subarray(0, this.#filled));
  }

  /** `part` stands already at the end of what is not parsed yet. */
  *#consume(part: Buffer): Generator<Batch, void, undefined> {
    let fresh = this.#filled;
    this.#filled += part.length;
    if (!this.#recordEnds) {
      const quote = part.indexOf(QUOTE);
      const before = quote < 0 ? part : part.subarray(0, quote);
      const end = before.lastIndexOf(LF);
      if (end >= 0) yield* this.#take(fresh + end + 1);
      if (quote < 0) return;
      this.#recordEnds = new RecordEnds();
      fresh = 0;
    }
    const end = this.#recordEnds.scan(this.#memory.piece, fresh, this.#filled);
    if (end > 0) yield* this.#take(end);
  }

  /** Parses up to `end`, where a row ends, and moves the rest to the front. */
  *#take(end: number): Generator<Batch, void, undefined> {
    yield* this.#recordEnds ? this.#takeRecords(end) : this.#takeRows(end);
    this.#memory.piece.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  *#takeRows(end: number): Generator<Batch, void, undefined> {
    let position = 0;
    if (!this.#columns) {
      position = this.#memory.piece.indexOf(LF) + 1;
      this.#readHeader(splitLine(this.#memory.piece.subarray(0, position - 1)), 1);
    }
    const columns = this.#columns as ColumnParser | undefined;
    while (columns && position < end) {
      const before = this.#memory.rows;
      position = columns.take(position, end);
      this.#rows += this.#memory.rows - before;
      if (columns.full) yield* this.#takeOut();
    }
  }

  *#takeRecords(end: number): Generator<Batch, void, undefined> {
    const text = this.#memory.piece.subarray(0, end);
    for (const record of parseRecords(text, this.#place(), this.#names())) {
      if (!this.#columns) {
        this.#readHeader(record, linesOf(record));
        continue;
      }
      this.#columns.takeRow(record);
      this.#rows++;
      if (this.#columns.full) yield* this.#takeOut();
    }
  }

  #readHeader(cells: readonly Uint8Array[], lines: number): void {
    const { source, dataType, batchRows, numberText = false } = this.#options;
    const { schema, warning } = readHeader(cells, source, dataType);
    this.#schema = schema;
    this.#warning = warning;
    this.#line += lines;
    if (this.#memory.schema.length === 0) this.#memory.open(schema, batchRows, numberText);
    this.#columns = new ColumnParser(this.#memory, source, this.#line);
  }

  *#takeOut(): Generator<Batch, void, undefined> {
    const { rows } = this.#memory;
    const { source, line } = this.#place();
    // Exact, but for cells that hold line feeds.
    yield { place: { source, line: line - rows }, ...this.#memory.view() };
    this.#memory.clear();
  }

  #names(): string[] {
    return (this.#schema ?? []).map(({ name }) => name);
  }

  #place(): SourceLine {
    return { source: this.#options.source, line: this.#columns?.line ?? this.#line };
  }
}
