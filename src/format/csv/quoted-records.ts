import { createRequire } from 'node:module';
import type { CsvError } from 'csv-parse';
import { createCellError, type SourceLine } from './csv-errors.js';

/** Loads csv-parse when a file has quotes: hardly any has, and each converting thread would pay for it. */
const require = createRequire(import.meta.url);

const QUOTE = 34;
const LF = 10;

/**
 * Finds where records end in a file with quotes: at an LF with an even number of quotes before it, since a
 * quote within quotes is written twice (RFC 4180, section 2).
 */
export class RecordEnds {
  #inQuotes = false;
  #found = 0;

  get inQuotes(): boolean {
    return this.#inQuotes;
  }

  /** How many records ended in what `scan` read last. */
  get found(): number {
    return this.#found;
  }

  /**
   * Reads on through new bytes, up to the end of the `most`th record; returns the position behind the last LF that
   * ends a record, -1 for none.
   */
  scan(bytes: Uint8Array, from: number, to: number, most = Number.POSITIVE_INFINITY): number {
    let end = -1;
    this.#found = 0;
    for (let p = from; p < to && this.#found < most; p++) {
      const byte = bytes[p];
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === LF && !this.#inQuotes) {
        end = p + 1;
        this.#found++;
      }
    }
    return end;
  }
}

/**
 * The cells of whole records, by csv-parse: what the loop over unquoted cells declines. `namesSchema` are those of the
 * columns, for messages.
 */
export function parseRecords(bytes: Buffer, place: SourceLine, names: readonly string[]): Buffer[][] {
  const { CsvError, parse } = require('csv-parse/sync') as typeof import('csv-parse/sync');
  try {
    const options = { encoding: null, record_delimiter: ['\r\n', '\n'], relax_column_count: true };
    return parse(bytes, options) as unknown as Buffer[][];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const column = (error as { column?: unknown }).column;
    const name = typeof column === 'number' ? (names[column] ?? `number ${column + 1}`) : 'unknown';
    const start = findFaultLine(bytes, error);
    const line = place.line + countLineFeeds(bytes.subarray(0, start));
    const problem =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'opens a quote that nothing closes'
        : 'has a quote where none may stand';
    throw createCellError({ ...place, line }, name, bytes.subarray(start, bytes.indexOf(LF, start)), problem);
  }
}

/** Where the line begins that csv-parse refused; of a quote left open it names the last line, not the first. */
function findFaultLine(bytes: Buffer, error: CsvError): number {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return Math.max(0, new RecordEnds().scan(bytes, 0, bytes.length));
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

/** How many lines of the file a record takes up. */
export function countRecordLines(record: readonly Uint8Array[]): number {
  return record.reduce((lines, cell) => lines + countLineFeeds(cell), 1);
}
