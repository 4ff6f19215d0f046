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
  parseTimeUs,
  splitLine,
  TOO_LONG,
} from './csv-cells.js';
import { findHeaderProblem, inferDataType, parseHeaderNames } from './csv-header.js';
import { parseRecords, RecordEndFinder } from './quoted-records.js';

const QUOTE = 34;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

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
  let head: Buffer | undefined = Buffer.alloc(0);
  return {
    push(text) {
      if (!head) return;
      const start: Buffer = head.length === 0 ? text : Buffer.concat([head, text]);
      const records = findRecords(start);
      const isComplete = records.length === 2 || start.length >= 2 * MAX_LINE_BYTES;
      // The text may be overwritten after this call.
      head = isComplete ? undefined : Buffer.from(start);
      if (isComplete) checkRecords(start, records, file);
    },
    end() {
      if (head && head.length > 0) checkRecords(head, [...findRecords(head), head.length], file);
    },
  };
}

/** A check that keeps its error, so that a caller can report a more specific one. */
export interface DeferredCheck extends TextCheck {
  readonly error: TickhaulError | undefined;
}

/** Defers the errors of `createStartCheck`. */
export function deferStartCheck(file: DayFile): DeferredCheck {
  const check = createStartCheck(file);
  let error: TickhaulError | undefined;
  const run = (step: () => void): void => {
    if (error) return;
    try {
      step();
    } catch (cause) {
      if (!(cause instanceof TickhaulError)) throw cause;
      error = cause;
    }
  };
  return {
    push: (text) => run(() => check.push(text)),
    end: () => run(() => check.end()),
    get error() {
      return error;
    },
  };
}

/** Ends of the first two records. */
function findRecords(text: Buffer): readonly number[] {
  const finder = new RecordEndFinder();
  const header = finder.scan(text, 0, text.length, 1);
  if (header < 0) return [];
  const row = finder.scan(text, header, text.length, 1);
  return row < 0 ? [header] : [header, row];
}

/** @param ends ends of the first records; the last one may lack its line feed. */
function checkRecords(text: Buffer, ends: readonly number[], file: DayFile): void {
  const headerEnd = ends[0] ?? text.length;
  const rowEnd = ends[1] ?? headerEnd;
  if (text.indexOf(GZIP_MAGIC) === 0)
    throw createStartError(1, 'no header: the text is a gzip file itself, so it was compressed once more');
  if (headerEnd >= MAX_LINE_BYTES) throw createStartError(1, TOO_LONG);
  const names = checkHeader(text.subarray(0, headerEnd), file);
  const row = text.subarray(headerEnd, rowEnd);
  if (row.length === 0) return;
  if (row.length >= MAX_LINE_BYTES) throw createStartError(2, TOO_LONG);
  const cells = splitRecord(row, names);
  const problem =
    cells.length === names.length
      ? findRowProblem(file, names, cells)
      : describeRowProblem(names, cells, 0, undefined);
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

function findRowProblem(
  file: DayFile,
  names: readonly string[],
  cells: readonly Buffer[],
): string | undefined {
  const cellOf = (name: string): Buffer => cells[names.indexOf(name)] ?? Buffer.alloc(0);
  const describe = (name: string, problem: string): string =>
    `column ${name}: ${formatCell(cellOf(name))} ${problem}`;
  const isOf = (name: 'exchange' | 'symbol', isAny: boolean): boolean => {
    const cell = cellOf(name);
    if (isAny) return cell.length > 0;
    const text = cell.toString('utf8');
    return text === file[name] || toComparable(text) === toComparable(file[name]);
  };
  if (!isOf('exchange', false)) return describe('exchange', `is not ${file.exchange}`);
  if (!isOf('symbol', isGroupedSymbol(file.symbol))) return describe('symbol', `is not ${file.symbol}`);
  for (const name of ['timestamp', 'local_timestamp']) {
    const cell = cellOf(name);
    const time = parseTimeUs(cell, 0, cell.length);
    if (typeof time === 'string') return describe(name, time);
    if (name === 'timestamp') continue;
    const sinceMidnight = time - file.day * US_PER_DAY;
    if (sinceMidnight < -MAX_EARLY_US || sinceMidnight >= US_PER_DAY)
      return describe(name, `is not within ${formatDay(file.day)}`);
  }
  return undefined;
}

/** Dataset symbols and file names have other characters in place of some of the exchange's. */
function toComparable(name: string): string {
  return toDatasetSymbol(name).replace(/[^\p{L}\p{N}]/gu, '-');
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
  return splitLine(record.at(-1) === 10 ? record.subarray(0, -1) : record);
}

function createStartError(line: number, problem: string): TickhaulError {
  return new TickhaulError('corrupt', `line ${line}, ${problem}`, { maxRetries: RETRIES });
}
