import { TickhaulError } from '../../base/errors.js';
import { dataTypeColumns } from '../../day-files/data-types.js';
import { isGroupedSymbol, toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { formatDay, US_PER_DAY } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { TextCheck } from '../../gzip/verify-file.js';
import {
  describeRowProblem,
  formatCell,
  MAX_LINE_BYTES,
  parseTime,
  splitLine,
  TOO_LONG,
} from './csv-cells.js';
import { findHeaderProblem, inferDataType, parseHeaderNames } from './csv-header.js';
import { parseRecords, RecordEndFinder } from './quoted-records.js';

const LF = 10;
const CR = 13;
const QUOTE = 34;
const EMPTY = Buffer.alloc(0);

/** A collector's clock may step back around midnight; a file of another day begins further away. */
const MAX_EARLY_US = 60_000_000;

/** The same bytes would most likely come again: a sign-in page, or a proxy that compresses. */
const RETRIES = 1;

/** The last valid header of each data type, since a folder's files begin alike. */
const validHeaders = new Map<string, { readonly line: Buffer; readonly names: readonly string[] }>();

/**
 * Checks that text begins like a given day file: with the header of its data type, and a row of its exchange, symbol
 * and day. An empty text, or a header alone, is a day without rows. The other cells are left to conversions and audits.
 * Errors are `corrupt`, without the path of the file.
 */
export function createStartCheck(file: DayFile): TextCheck {
  return new StartCheck(file, false);
}

/** A check that keeps its error, so that a caller can report a more specific one. */
export interface DeferredCheck extends TextCheck {
  readonly error: TickhaulError | undefined;
}

/** Defers the errors of `createStartCheck`. */
export function deferStartCheck(file: DayFile): DeferredCheck {
  return new StartCheck(file, true);
}

/** It runs once per file, and is on the path of many small files: its usual case creates few objects. */
class StartCheck implements DeferredCheck {
  readonly #file: DayFile;
  readonly #isDeferred: boolean;
  /** The text so far; undefined once it was checked. */
  #head: Buffer | undefined = EMPTY;
  error: TickhaulError | undefined;

  constructor(file: DayFile, isDeferred: boolean) {
    this.#file = file;
    this.#isDeferred = isDeferred;
  }

  push(text: Buffer): void {
    if (!this.#head) return;
    const start = this.#head.length === 0 ? text : Buffer.concat([this.#head, text]);
    const headerEnd = findRecordEnd(start, 0);
    const rowEnd = headerEnd < 0 ? -1 : findRecordEnd(start, headerEnd);
    if (rowEnd >= 0 || start.length >= 2 * MAX_LINE_BYTES) this.#check(start, headerEnd, rowEnd);
    // The text may be overwritten after this call.
    else this.#head = Buffer.from(start);
  }

  end(): void {
    if (!this.#head || this.#head.length === 0) return;
    this.#check(this.#head, findRecordEnd(this.#head, 0), -1);
  }

  /** @param headerEnd end of the first record, and `rowEnd` of the second; -1 for the end of the text. */
  #check(text: Buffer, headerEnd: number, rowEnd: number): void {
    this.#head = undefined;
    try {
      const header = text.subarray(0, headerEnd < 0 ? text.length : headerEnd);
      checkRecords(header, text.subarray(header.length, rowEnd < 0 ? text.length : rowEnd), this.#file);
    } catch (error) {
      if (!this.#isDeferred || !(error instanceof TickhaulError)) throw error;
      this.error = error;
    }
  }
}

/** End of the record that begins at `start`; -1 if the text ends before. */
function findRecordEnd(text: Buffer, start: number): number {
  const end = text.indexOf(LF, start) + 1;
  if (!text.subarray(start, end > 0 ? end : text.length).includes(QUOTE)) return end > 0 ? end : -1;
  return new RecordEndFinder().scan(text, start, text.length, 1);
}

/** @param row empty if there is none; the last record may lack its line feed. */
function checkRecords(header: Buffer, row: Buffer, file: DayFile): void {
  if (header[0] === 0x1f && header[1] === 0x8b)
    throw createStartError(1, 'no header: the text is a gzip file itself, so it was compressed once more');
  if (header.length >= MAX_LINE_BYTES) throw createStartError(1, TOO_LONG);
  const names = checkHeader(header, file);
  if (row.length === 0) return;
  if (row.length >= MAX_LINE_BYTES) throw createStartError(2, TOO_LONG);
  const problem = findRowProblem(file, names, splitRow(row, names));
  if (problem !== undefined) throw createStartError(2, problem);
}

function checkHeader(line: Buffer, { dataType }: DayFile): readonly string[] {
  const known = validHeaders.get(dataType);
  if (known?.line.equals(line)) return known.names;
  const problem = findHeaderProblem(splitRecord(line, []), dataType);
  if (problem !== undefined) throw createStartError(1, problem);
  const names = parseHeaderNames(line);
  const actual = inferDataType(names);
  // A header may have unknown columns, but not all those of a type with more columns.
  const columns = (type: string): number => dataTypeColumns(type)?.length ?? Number.POSITIVE_INFINITY;
  if (actual !== undefined && columns(actual) > columns(dataType))
    throw createStartError(1, `the header is that of ${actual} and not of ${dataType}`);
  validHeaders.set(dataType, { line: Buffer.from(line), names });
  return names;
}

/** @param cells texts, which cost a fraction of the buffers that all other code has. */
function findRowProblem(
  file: DayFile,
  names: readonly string[],
  cells: readonly string[],
): string | undefined {
  if (cells.length !== names.length) {
    const found = cells.map((cell) => Buffer.from(cell));
    return describeRowProblem(names, found, 0, undefined);
  }
  const cellOf = (name: string): string => cells[names.indexOf(name)] ?? '';
  const describe = (name: string, problem: string): string =>
    `column ${name}: ${formatCell(Buffer.from(cellOf(name)))} ${problem}`;
  if (!isSameName(cellOf('exchange'), file.exchange)) return describe('exchange', `is not ${file.exchange}`);
  const symbol = cellOf('symbol');
  if (isGroupedSymbol(file.symbol) ? symbol === '' : !isSameName(symbol, file.symbol))
    return describe('symbol', `is not ${file.symbol}`);
  const time = parseTime(cellOf('timestamp'));
  if (typeof time === 'string') return describe('timestamp', time);
  const localTime = parseTime(cellOf('local_timestamp'));
  if (typeof localTime === 'string') return describe('local_timestamp', localTime);
  const sinceMidnight = localTime - file.day * US_PER_DAY;
  return sinceMidnight < -MAX_EARLY_US || sinceMidnight >= US_PER_DAY
    ? describe('local_timestamp', `is not within ${formatDay(file.day)}`)
    : undefined;
}

function isSameName(cell: string, name: string): boolean {
  return cell === name || toComparable(cell) === toComparable(name);
}

/** Dataset symbols and file names have other characters in place of some of the exchange's. */
function toComparable(name: string): string {
  return toDatasetSymbol(name).replace(/[^\p{L}\p{N}]/gu, '-');
}

/** @param row with its line feed, unless it ends the text. */
function splitRow(row: Buffer, names: readonly string[]): readonly string[] {
  if (row.includes(QUOTE)) return splitRecord(row, names).map(String);
  const end = row.at(-1) === LF ? row.length - 1 : row.length;
  return row.toString('utf8', 0, row[end - 1] === CR ? end - 1 : end).split(',');
}

/** @param record with its line feed, unless it ends the text. */
function splitRecord(record: Buffer, names: readonly string[]): readonly Buffer[] {
  if (record.includes(QUOTE)) {
    try {
      return [...parseRecords(record, { source: '', line: 1 }, names)][0] ?? [];
    } catch (error) {
      // A misplaced quote: the cells without its meaning show what the line is.
      if (!(error instanceof TickhaulError)) throw error;
    }
  }
  return splitLine(record.at(-1) === LF ? record.subarray(0, -1) : record);
}

function createStartError(line: number, problem: string): TickhaulError {
  return new TickhaulError('corrupt', `line ${line}, ${problem}`, { maxRetries: RETRIES });
}
