import type { Batch, Schema } from '../columns.js';
import { BatchBuilder } from './batch-builder.js';
import { lineError, rowError } from './errors.js';
import { readHeader, schemaOf } from './header.js';
import { splitLine } from './line.js';
import { linesOf, parseRecords, RecordEnds } from './quoted.js';
import { parseRows, READ_AHEAD, type RefusedCell } from './rows.js';

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
}

/**
 * Reads a day file's CSV into batches of columns (service facts, CSV layouts): bytes go in by `push`, in chunks
 * cut anywhere, and batches come out. Lines end in LF, or CRLF; the last may lack it. From the first line on
 * that has a quote in it, csv-parse finds the cells.
 *
 * `push` and `end` throw a TickhaulError `corrupt` that names line, column and cell; the parser is of no use
 * after that. A chunk may be reused as soon as `push` returns.
 */
export class CsvParser {
  readonly #options: CsvOptions;
  /** What is not parsed yet: it always begins with a line's first byte. One byte more is for a last LF. */
  readonly #bytes = Buffer.alloc(MAX_LINE + 1 + READ_AHEAD);
  #filled = 0;
  /** The line that `#bytes` begins with, counted from 1. */
  #line = 1;
  #rows = 0;
  #schema: Schema | undefined;
  #warning: string | undefined;
  #batch: BatchBuilder | undefined;
  /** Once there was a quote. */
  #recordEnds: RecordEnds | undefined;
  #out: Batch[] = [];

  constructor(options: CsvOptions) {
    this.#options = options;
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

  /** Takes gunzipped bytes; returns the batches that they made full. */
  push(chunk: Buffer): readonly Batch[] {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + MAX_LINE - this.#filled);
      piece.copy(this.#bytes, this.#filled);
      this.#consume(piece);
      at += piece.length;
      if (this.#filled === MAX_LINE) {
        throw lineError(this.#place(), this.#recordEnds?.inQuotes ? UNCLOSED : TOO_LONG);
      }
    }
    return this.#takeOut();
  }

  /** The file ended; returns what is left. */
  end(): readonly Batch[] {
    if (this.#filled > 0) {
      this.#bytes[this.#filled++] = LF;
      this.#take(this.#filled);
    }
    this.#schema ??= schemaOf(this.#options.dataType);
    if (this.#batch && this.#batch.row > 0) this.#out.push(this.#batch.finish());
    this.#batch = undefined;
    return this.#takeOut();
  }

  /** `piece` stands already at the end of what is not parsed yet. */
  #consume(piece: Buffer): void {
    let fresh = this.#filled;
    this.#filled += piece.length;
    if (!this.#recordEnds) {
      const quote = piece.indexOf(QUOTE);
      const before = quote < 0 ? piece : piece.subarray(0, quote);
      const end = before.lastIndexOf(LF);
      if (end >= 0) this.#take(fresh + end + 1);
      if (quote < 0) return;
      this.#recordEnds = new RecordEnds();
      fresh = 0;
    }
    const end = this.#recordEnds.scan(this.#bytes, fresh, this.#filled);
    if (end > 0) this.#take(end);
  }

  /** Parses up to `end`, where a row ends, and moves the rest to the front. */
  #take(end: number): void {
    if (this.#recordEnds) this.#takeRecords(end);
    else this.#takeRows(end);
    this.#bytes.copyWithin(0, end, this.#filled);
    this.#filled -= end;
  }

  #takeRows(end: number): void {
    let position = 0;
    if (!this.#schema) {
      position = this.#bytes.indexOf(LF) + 1;
      this.#readHeader(splitLine(this.#bytes.subarray(0, position - 1)));
      this.#line++;
    }
    while (position < end) {
      const batch = this.#openBatch();
      const before = batch.row;
      const parsed = parseRows(batch, this.#bytes, position, end);
      this.#line += batch.row - before;
      this.#rows += batch.row - before;
      if (parsed.refused) throw this.#refusal(parsed.refused);
      position = parsed.position;
    }
  }

  #takeRecords(end: number): void {
    for (const record of parseRecords(this.#bytes.subarray(0, end), this.#place(), this.#names())) {
      if (this.#schema) this.#takeRecord(record, this.#schema);
      else this.#readHeader(record);
      this.#line += linesOf(record);
    }
  }

  #takeRecord(record: readonly Buffer[], schema: Schema): void {
    const batch = this.#openBatch();
    let problem: string | undefined;
    let column = 0;
    if (record.length !== schema.length) throw this.#rowError(record, 0, undefined);
    for (; column < schema.length && problem === undefined; column++) {
      const cell = record[column] as Buffer;
      problem = batch.append(column, cell, 0, cell.length);
    }
    if (problem !== undefined) throw this.#rowError(record, column - 1, problem);
    batch.row++;
    this.#rows++;
  }

  #readHeader(cells: readonly Uint8Array[]): void {
    const { source, dataType } = this.#options;
    const { schema, warning } = readHeader(cells, source, dataType);
    this.#schema = schema;
    this.#warning = warning;
  }

  /** The batch that the next row goes to. */
  #openBatch(): BatchBuilder {
    if (this.#batch?.full) {
      this.#out.push(this.#batch.finish());
      this.#batch = undefined;
    }
    const { batchRows, numberText = false } = this.#options;
    this.#batch ??= new BatchBuilder(this.#schema ?? [], batchRows, numberText);
    return this.#batch;
  }

  #refusal({ start, column, problem }: RefusedCell) {
    const lineStart = start === 0 ? 0 : this.#bytes.lastIndexOf(LF, start - 1) + 1;
    const line = this.#bytes.subarray(lineStart, this.#bytes.indexOf(LF, start));
    return this.#rowError(splitLine(line), column, problem);
  }

  #rowError(cells: readonly Uint8Array[], column: number, problem: string | undefined) {
    return rowError(this.#place(), this.#names(), cells, column, problem);
  }

  #names(): string[] {
    return (this.#schema ?? []).map(({ name }) => name);
  }

  #place() {
    return { source: this.#options.source, line: this.#line };
  }

  #takeOut(): readonly Batch[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}
