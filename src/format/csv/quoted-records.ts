import { createRequire } from 'node:module';
import type { CsvError } from 'csv-parse';
import type { TickhaulError } from '../../base/errors.js';
import { createCellError, type SourceLine } from './csv-cells.js';

/** Loads csv-parse only if a file has quotes: few do, and otherwise every conversion thread would load it. */
const require = createRequire(import.meta.url);

const QUOTE = 34;
const LF = 10;

/**
 * Finds the ends of records in a file with quotes: an LF after an even number of quotes, since a quote within
 * quotes is doubled (RFC 4180, section 2).
 */
export class RecordEndFinder {
  #inQuotes = false;
  #recordCount = 0;

  get inQuotes(): boolean {
    return this.#inQuotes;
  }

  /** Number of records that ended in the last `scan`. */
  get recordCount(): number {
    return this.#recordCount;
  }

  /**
   * Scans new bytes up to the end of the record number `maxRecords`. Returns the position after the last LF
   * that ends a record; -1 if there is none.
   */
  scan(bytes: Uint8Array, from: number, to: number, maxRecords = Number.POSITIVE_INFINITY): number {
    let end = -1;
    this.#recordCount = 0;
    for (let p = from; p < to && this.#recordCount < maxRecords; p++) {
      const byte = bytes[p];
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === LF && !this.#inQuotes) {
        end = p + 1;
        this.#recordCount++;
      }
    }
    return end;
  }
}

/** Ends the parser early. */
const END = new Error('the rest of the records is not parsed');

/**
 * Splits complete records into cells with csv-parse; handles quotes, which the faster parsers do not.
 * @param names column names, for messages; a record with another number of cells is the last one.
 * @throws TickhaulError `corrupt` for a misplaced quote, after the records before it.
 */
export function* parseRecords(
  bytes: Buffer,
  place: SourceLine,
  names: readonly string[],
): Generator<Buffer[], void, undefined> {
  const { CsvError, parse } = require('csv-parse/sync') as typeof import('csv-parse/sync');
  const records: Buffer[][] = [];
  try {
    parse(bytes, {
      encoding: null,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      on_record(record: unknown) {
        // Without an encoding, cells are bytes.
        const cells = record as Buffer[];
        records.push(cells);
        // The caller refuses it: parse no more of what may be a record for each few bytes.
        if (names.length > 0 && cells.length !== names.length) throw END;
        return undefined;
      },
    });
  } catch (error) {
    if (error === END) {
      yield* records;
      return;
    }
    if (!(error instanceof CsvError)) throw error;
    // The bytes may be gone after a record was used: they lie in a memory that grows.
    const quoteError = createQuoteError(bytes, place, names, error);
    yield* records;
    throw quoteError;
  }
  yield* records;
}

function createQuoteError(
  bytes: Buffer,
  place: SourceLine,
  names: readonly string[],
  error: CsvError,
): TickhaulError {
  const column = (error as { column?: unknown }).column;
  const name = typeof column === 'number' ? (names[column] ?? `number ${column + 1}`) : 'unknown';
  const start = findFaultLine(bytes, error);
  const line = place.line + countLineFeeds(bytes.subarray(0, start));
  const problem =
    error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'opens a quote that is never closed' : 'has a misplaced quote';
  const cell = bytes.subarray(start, bytes.indexOf(LF, start));
  return createCellError({ ...place, line }, name, cell, problem);
}

/**
 * Start of the line that csv-parse refused. For an unclosed quote it reports the last line, not the first.
 */
function findFaultLine(bytes: Buffer, error: CsvError): number {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return Math.max(0, new RecordEndFinder().scan(bytes, 0, bytes.length));
  let start = 0;
  const lines = Number((error as { lines?: unknown }).lines ?? 1);
  for (let line = 1; line < lines; line++) start = bytes.indexOf(LF, start) + 1;
  return start;
}

function countLineFeeds(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LF) lines++;
  return lines;
}

/** Number of lines of the file that a record spans. */
export function countRecordLines(record: readonly Uint8Array[]): number {
  return record.reduce((lines, cell) => lines + countLineFeeds(cell), 1);
}
