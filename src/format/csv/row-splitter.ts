import { usageError } from '../../base/errors.js';
import { copyBytes } from '../../base/memory.js';
import { countLines } from '../../gzip/count-lines.js';
import { createLineError, TOO_LONG, UNCLOSED } from './csv-cells.js';
import { type DayFileHeader, HeaderReader, type HeaderText } from './csv-header.js';
import { PIECE_BYTES, type Piece, type ScanResult } from './piece-memory.js';
import { RecordEndFinder } from './quoted-records.js';

const LF = 10;

/** Bytes to scan beyond the estimated length of a batch's rows. */
const CUT_MARGIN_BYTES = 512;
/** Estimated bytes per row before the first row. */
const INITIAL_ROW_BYTES = 128;

/**
 * The end of a source also ends a batch that has at least this share of its rows. So readers can prune by time and
 * symbol, and many small sources still make few batches (docs/decisions/conversion.md#write-many-sources-to-one-file).
 */
const MIN_BATCH_SHARE = 1 / 4;

/** Complete rows at the start of a piece. */
export interface PieceRows {
  /** Path of the file with the rows, for messages. */
  readonly source: string;
  /** Length of the rows in bytes. */
  readonly length: number;
  /** Line of the file at which the first row begins. */
  readonly line: number;
  /** Whether the rows may have quotes, so that csv-parse must find the cells. */
  readonly quoted: boolean;
  /** Whether a batch ends after the rows. There may be no rows, if the batch already has some. */
  readonly endsBatch: boolean;
}

/** Receives the rows of a file, batch by batch. */
export interface RowConsumer {
  /** Called with the header, before the first rows. */
  open(header: DayFileHeader): BatchSize;
  /** Resolves with a piece for the next text, which `consume` takes back. */
  acquirePiece(): Promise<Piece>;
  consume(piece: Piece, rows: PieceRows): Promise<void>;
}

/** Limits of a batch. It ends with the row with which it reaches one of them. */
export interface BatchSize {
  readonly rows: number;
  readonly textBytes: number;
}

/**
 * Splits a day file's text, which arrives in chunks of any size, into pieces of complete rows, and the rows
 * into batches (docs/spec/csv-files.md#form). From the first row with a quote on, records end at an LF
 * outside quotes. The same file always has the same pieces and batches, however its bytes are chunked. Other day files
 * with the same columns may follow; a batch may have rows of several.
 *
 * `push`, `beginSource` and `end` throw a TickhaulError `corrupt` for an invalid header and for a row without an end, and
 * the errors of the consumer. The splitter must not be used after that. Calls must not overlap.
 */
export class RowSplitter {
  #path: string;
  readonly #consumer: RowConsumer;
  #headerReader: HeaderReader;
  /** Whether each source begins with a header. */
  readonly #hasHeader: boolean;
  /** Header of the first source that has one. */
  #header: DayFileHeader | undefined;
  /** Path of the source with that header. */
  #headerPath = '';
  /** Whether the header of the current source was read. */
  #isInRows = false;
  #size: BatchSize = { rows: 0, textBytes: 0 };
  #rows = 0;
  /** Rows and text until the batch is full. */
  #rowsLeft = 0;
  #textLeft = 0;
  #rowBytes = INITIAL_ROW_BYTES;
  /** Set after the first quote. */
  #recordEnds: RecordEndFinder | undefined;

  #piece: Piece | undefined;
  /** Line at the start of the piece, counted from 1. */
  #line = 1;
  /** Bytes of the piece that are in use, that were scanned, and that hold complete rows. */
  #filledBytes = 0;
  #scannedBytes = 0;
  #completeBytes = 0;
  #completeRows = 0;

  /**
   * @param path path of the source, for messages.
   * @param known the header, which the text then lacks, or the data type; undefined if it must be read from the header.
   */
  constructor(path: string, known: DayFileHeader | string | undefined, consumer: RowConsumer) {
    this.#path = path;
    this.#consumer = consumer;
    const isHeader = typeof known === 'object';
    this.#hasHeader = !isHeader;
    this.#headerReader = new HeaderReader(path, isHeader ? known.dataType : known);
    if (isHeader) this.#open(known);
  }

  /** Set before the first rows are passed on, and after `end`. */
  get header(): DayFileHeader | undefined {
    return this.#header;
  }

  /** Number of rows so far, without the header. */
  get rows(): number {
    return this.#rows;
  }

  /** Splits gunzipped text; the chunk may be reused when this resolves. */
  async push(chunk: Uint8Array): Promise<void> {
    let text = chunk;
    if (!this.#isInRows) {
      const found = this.#headerReader.push(chunk);
      if (!found) return;
      this.#start(found);
      text = found.rest;
    }
    for (let at = 0; at < text.length; ) {
      this.#piece ??= await this.#consumer.acquirePiece();
      const estimatedBytes = Math.ceil(this.#rowsLeft * this.#rowBytes) + CUT_MARGIN_BYTES;
      const length = Math.min(text.length - at, PIECE_BYTES - this.#filledBytes, estimatedBytes);
      copyBytes(text.subarray(at, at + length), this.#piece.bytes, this.#filledBytes);
      this.#filledBytes += length;
      at += length;
      await this.#scanPiece();
    }
  }

  /** Passes on the complete rows that are buffered. */
  async flush(): Promise<void> {
    if (this.#completeBytes > 0) await this.#passOn(false);
  }

  /**
   * Ends the current file, and begins the next one. If the header was given, the text has none, and just continues.
   * @param path as in the constructor. @param dataType undefined if it must be read from the header.
   * @throws as `push` does; TickhaulError `usage`, from then on, if the file has other columns than the first one.
   */
  async beginSource(path: string, dataType: string | undefined): Promise<void> {
    if (this.#hasHeader) this.#endRows();
    const batchRows = this.#size.rows - this.#rowsLeft;
    if (batchRows > 0 && batchRows >= MIN_BATCH_SHARE * this.#size.rows) await this.#passOn(true);
    if (!this.#hasHeader) return;
    await this.flush();
    this.#path = path;
    this.#headerReader = new HeaderReader(path, dataType);
    this.#isInRows = false;
    this.#recordEnds = undefined;
    this.#line = 1;
  }

  /** Ends the last file; passes on the remaining rows. Returns the header of the first file that has one. */
  async end(): Promise<DayFileHeader> {
    this.#endRows();
    if (!this.#header) this.#start(this.#headerReader.end());
    if (this.#rowsLeft < this.#size.rows) await this.#passOn(true);
    return this.#header as DayFileHeader;
  }

  /** Completes a header or row whose line feed is missing. An empty file has no columns that could differ. */
  #endRows(): void {
    if (!this.#isInRows && !this.#headerReader.isEmpty) this.#start(this.#headerReader.end());
    if (!this.#piece || this.#filledBytes === this.#completeBytes) return;
    this.#piece.bytes[this.#filledBytes++] = LF;
    this.#addRows(1, this.#filledBytes);
  }

  async #scanPiece(): Promise<void> {
    while (this.#piece && this.#scannedBytes < this.#filledBytes) {
      const fullAt = this.#completeBytes + this.#textLeft;
      const isLastRow = this.#scannedBytes >= fullAt;
      const maxRows = isLastRow ? 1 : this.#rowsLeft;
      const to = isLastRow ? this.#filledBytes : Math.min(this.#filledBytes, fullAt);
      const { rows, end, quoted } = this.#scan(this.#piece, to, maxRows);
      if (rows > 0) this.#addRows(rows, end);
      this.#scannedBytes = rows === maxRows ? end : to;
      if (quoted) await this.#beginQuotes();
      else if (this.#rowsLeft === 0 || this.#textLeft <= 0) await this.#passOn(true);
    }
    if (this.#filledBytes < PIECE_BYTES) return;
    if (this.#completeBytes === 0) {
      const problem = this.#recordEnds?.inQuotes ? UNCLOSED : TOO_LONG;
      throw createLineError({ source: this.#path, line: this.#line }, problem);
    }
    await this.#passOn(false);
  }

  /** Scans on to `to`, to the end of row number `maxRows`, or to the first quote. */
  #scan(piece: Piece, to: number, maxRows: number): ScanResult {
    const ends = this.#recordEnds;
    if (!ends) return piece.scan(this.#scannedBytes, to, maxRows);
    const end = ends.scan(piece.bytes, this.#scannedBytes, to, maxRows);
    return { rows: ends.recordCount, end, quoted: false };
  }

  #addRows(rows: number, end: number): void {
    this.#textLeft -= end - this.#completeBytes;
    this.#completeBytes = end;
    this.#completeRows += rows;
    this.#rowsLeft -= rows;
    this.#rowBytes = end / this.#completeRows;
  }

  async #beginQuotes(): Promise<void> {
    this.#scannedBytes = this.#completeBytes;
    await this.flush();
    this.#recordEnds = new RecordEndFinder();
  }

  /** Passes on the complete rows, and copies the rest to the start of the next piece. */
  async #passOn(ends: boolean): Promise<void> {
    const piece = this.#piece ?? (await this.#consumer.acquirePiece());
    const length = this.#completeBytes;
    const rest = Buffer.from(piece.bytes.subarray(length, this.#filledBytes));
    const source = this.#path;
    const line = this.#line;
    const quoted = this.#recordEnds !== undefined;
    this.#line += quoted ? countLines(piece.bytes.subarray(0, length)) : this.#completeRows;
    this.#piece = undefined;
    this.#rows += this.#completeRows;
    await this.#consumer.consume(piece, { source, length, line, quoted, endsBatch: ends });
    if (ends) this.#beginBatch();
    this.#scannedBytes = Math.max(0, this.#scannedBytes - length);
    this.#filledBytes = rest.length;
    this.#completeBytes = 0;
    this.#completeRows = 0;
    if (rest.length === 0) return;
    this.#piece ??= await this.#consumer.acquirePiece();
    copyBytes(rest, this.#piece.bytes, 0);
  }

  #start({ header, isQuoted, nextLine }: HeaderText): void {
    this.#line = nextLine;
    if (isQuoted) this.#recordEnds = new RecordEndFinder();
    this.#open(header);
  }

  #open(header: DayFileHeader): void {
    this.#isInRows = true;
    if (this.#header) {
      this.#assertSameColumns(header, this.#header);
      return;
    }
    this.#header = header;
    this.#headerPath = this.#path;
    this.#size = this.#consumer.open(header);
    this.#beginBatch();
  }

  #assertSameColumns({ schema }: DayFileHeader, first: DayFileHeader): void {
    const namesOf = (columns: DayFileHeader['schema']): readonly string[] => columns.map(({ name }) => name);
    const [names, expected] = [namesOf(schema), namesOf(first.schema)];
    if (names.join() === expected.join()) return;
    const differing = [
      ...names.filter((name) => !expected.includes(name)).map((name) => `has ${name}`),
      ...expected.filter((name) => !names.includes(name)).map((name) => `lacks ${name}`),
    ];
    throw usageError(
      `${this.#path}: its columns are not those of ${this.#headerPath} (${differing.join(', ') || 'another order'}), and one file has the same columns for all rows; convert it to another file`,
    );
  }

  #beginBatch(): void {
    this.#rowsLeft = this.#size.rows;
    this.#textLeft = this.#size.textBytes;
  }
}
