import { countLines } from '../../integrity/count-lines.js';
import { PIECE_BYTES, type Piece } from '../kernel/piece-memory.js';
import { createLineError } from './csv-errors.js';
import { type DayFileHeader, emptyDayFileHeader, readDayFileHeader } from './day-file-header.js';
import { RecordEnds } from './quoted-records.js';

const LF = 10;

const TOO_LONG = `the line is longer than ${PIECE_BYTES} bytes: this is not a day file`;
const UNCLOSED = `a quote is opened that nothing closes within ${PIECE_BYTES} bytes`;

/** Bytes that are looked at besides those that the rows up to a cut should have. */
const CUT_MARGIN_BYTES = 512;
/** Bytes a row, until some are known. */
const INITIAL_ROW_BYTES = 128;

/** Whole rows at the beginning of a piece. */
export interface PieceRows {
  /** Of the rows, in bytes. */
  readonly length: number;
  /** The line of the file that the first of them begins in. */
  readonly line: number;
  /** Whether there are quotes, so that csv-parse has to find the cells. */
  readonly quoted: boolean;
  /** Whether they end a batch. There may be no row then, for a batch that has some already. */
  readonly ends: boolean;
}

/** Who takes the rows of a file, batch by batch. */
export interface RowConsumer {
  /** Told what the header says, before the first rows. */
  open(header: DayFileHeader): BatchSize;
  /** Resolves with a piece for the next text, which comes back by `appendIfRoom`. */
  acquirePiece(): Promise<Piece>;
  consume(piece: Piece, rows: PieceRows): Promise<void>;
  /**
   * Resolves when all rows so far are used.
   * @returns how many of them, since the last call, are in batches that had to end early.
   */
  drain(): Promise<number>;
}

export interface BatchSize {
  readonly rows: number;
  /** A batch of no more text than this, in bytes, never has to end early. */
  readonly safeTextBytes: number;
}

/**
 * Cuts a day file's text into pieces of whole rows, and those into batches (service facts, CSV layouts): text comes
 * cut anywhere. Lines end in LF, or CRLF; the last may lack it. From the first row on that has a quote in it, rows
 * end where the quotes say so. Pieces and batches are the same for the same file, however its bytes came in.
 *
 * `push` and `endConversion` throw a TickhaulError `createCorruptError` for a header that is none and a row that has no end, and what the
 * taker throws; the cutter is of no use after that. Calls must not overlap.
 */
export class RowSplitter {
  readonly #path: string;
  readonly #dataType: string | undefined;
  readonly #taker: RowConsumer;
  #header: DayFileHeader | undefined;
  #size: BatchSize = { rows: 0, safeTextBytes: 0 };
  #rows = 0;
  /** Rows till the next cut; the header is one of its own. */
  #left = 1;
  /** Text of the present batch, in the pieces before this one. */
  #batchText = 0;
  #rowBytes = INITIAL_ROW_BYTES;
  /** Once there was a quote. */
  #recordEnds: RecordEnds | undefined;

  #piece: Piece | undefined;
  /** The line that the piece begins with, counted from 1. */
  #line = 1;
  /** Of the piece: what is in use, what was looked through, and its whole rows. */
  #filled = 0;
  #scanned = 0;
  #whole = 0;
  #wholeRows = 0;

  /** @param path the source's, for messages. @param dataType undefined where the header has to tell it. */
  constructor(path: string, dataType: string | undefined, taker: RowConsumer) {
    this.#path = path;
    this.#dataType = dataType;
    this.#taker = taker;
  }

  /** Known before the first rows are given, and at the end. */
  get header(): DayFileHeader | undefined {
    return this.#header;
  }

  /** Rows so far, the header not counted. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes gunzipped text; it may be reused when this resolves. */
  async push(text: Uint8Array): Promise<void> {
    for (let at = 0; at < text.length; ) {
      this.#piece ??= await this.#taker.acquirePiece();
      const wanted = Math.ceil(this.#left * this.#rowBytes) + CUT_MARGIN_BYTES;
      const length = Math.min(text.length - at, PIECE_BYTES - this.#filled, wanted);
      this.#piece.bytes.set(text.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      await this.#look();
    }
  }

  /** Gives on the whole rows that are held back. */
  async flush(): Promise<void> {
    if (this.#whole > 0) await this.#give(false);
  }

  /** The file ended; gives on what is left. */
  async end(): Promise<DayFileHeader> {
    if (this.#piece && this.#filled > this.#whole) {
      this.#piece.bytes[this.#filled++] = LF;
      this.#addRows(1, this.#filled);
      if (!this.#header) await this.#give(false);
    }
    if (!this.#header) this.#open(emptyDayFileHeader(this.#path, this.#dataType));
    if (this.#left < this.#size.rows) await this.#give(true);
    return this.#header as DayFileHeader;
  }

  async #look(): Promise<void> {
    while (this.#piece && this.#scanned < this.#filled) {
      const { rows, end, quoted } = this.#scan(this.#piece);
      if (rows > 0) this.#addRows(rows, end);
      if (this.#left === 0) await this.#cut();
      else if (quoted) await this.#beginQuotes();
      else this.#scanned = this.#filled;
    }
    if (this.#filled < PIECE_BYTES) return;
    if (this.#whole === 0) {
      const problem = this.#recordEnds?.inQuotes ? UNCLOSED : TOO_LONG;
      throw createLineError({ source: this.#path, line: this.#line }, problem);
    }
    await this.#give(false);
  }

  #scan(piece: Piece): { readonly rows: number; readonly end: number; readonly quoted: boolean } {
    const ends = this.#recordEnds;
    if (!ends) return piece.scan(this.#scanned, this.#filled, this.#left);
    const end = ends.scan(piece.bytes, this.#scanned, this.#filled, this.#left);
    return { rows: ends.found, end, quoted: false };
  }

  #addRows(rows: number, end: number): void {
    this.#whole = end;
    this.#wholeRows += rows;
    this.#left -= rows;
    this.#rowBytes = end / this.#wholeRows;
  }

  async #beginQuotes(): Promise<void> {
    this.#scanned = this.#whole;
    await this.flush();
    this.#recordEnds = new RecordEnds();
  }

  /** Behind the header, or where a batch has all its rows. */
  async #cut(): Promise<void> {
    this.#scanned = this.#whole;
    if (!this.#header) return this.#give(false);
    if (this.#batchText + this.#whole > this.#size.safeTextBytes) {
      await this.#give(false);
      this.#left += await this.#taker.drain();
      if (this.#left > 0) return;
    }
    await this.#give(true);
  }

  /** Gives on the whole rows; what comes behind them is the beginning of the next piece. */
  async #give(ends: boolean): Promise<void> {
    const piece = this.#piece ?? (await this.#taker.acquirePiece());
    const length = this.#whole;
    const rest = Buffer.from(piece.bytes.subarray(length, this.#filled));
    const line = this.#line;
    const quoted = this.#recordEnds !== undefined;
    this.#line += quoted ? countLines(piece.bytes.subarray(0, length)) : this.#wholeRows;
    this.#piece = undefined;
    if (this.#header) {
      this.#rows += this.#wholeRows;
      this.#batchText += length;
      await this.#taker.consume(piece, { length, line, quoted, ends });
      if (ends) this.#beginBatch();
    } else {
      // A copy, since not all of Node reads shared memory.
      const text = Buffer.from(piece.bytes.subarray(0, length));
      this.#open(readDayFileHeader(text, quoted, this.#path, this.#dataType));
      this.#piece = piece;
    }
    this.#scanned = Math.max(0, this.#scanned - length);
    this.#filled = rest.length;
    this.#whole = 0;
    this.#wholeRows = 0;
    if (rest.length === 0) return;
    this.#piece ??= await this.#taker.acquirePiece();
    this.#piece.bytes.set(rest);
  }

  #open(header: DayFileHeader): void {
    this.#header = header;
    this.#size = this.#taker.open(header);
    this.#beginBatch();
  }

  #beginBatch(): void {
    this.#left = this.#size.rows;
    this.#batchText = 0;
  }
}
