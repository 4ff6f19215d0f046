import { isUtf8 } from 'node:buffer';
import { TickhaulError } from '../../base/errors.js';
import { type Column, DATA_TYPES, dataTypeColumns, LEADING_COLUMNS } from '../../day-files/data-types.js';
import type { Schema } from '../batch.js';
import { createLineError, formatCell, MAX_LINE_BYTES, splitLine, TOO_LONG, UNCLOSED } from './csv-cells.js';
import { countRecordLines, parseRecords, RecordEndFinder } from './quoted-records.js';

export interface CsvHeader {
  readonly schema: Schema;
  /**
   * Lists the columns that the data type is not known to have; undefined if there are none. The caller adds what becomes
   * of them.
   */
  readonly warning: string | undefined;
}

/** Memory is allocated for each column of a batch; real files have about a hundred. */
const MAX_COLUMNS = 4096;

/** The columns of a data type; the leading columns if the type is unknown. */
export function dataTypeSchema(dataType: string): Schema {
  return dataTypeColumns(dataType) ?? LEADING_COLUMNS;
}

/**
 * Parses the names of a header row. Columns may have any order; their kinds depend on the data type, and
 * unknown columns are text (docs/spec/csv-files.md#header).
 * @throws TickhaulError `corrupt`: not a header, a duplicate name, a missing column.
 */
function parseCsvHeader(cells: readonly Uint8Array[], source: string, dataType: string): CsvHeader {
  const problem = findHeaderProblem(cells, dataType);
  const names = cells.map((cell) => parseColumnName(cell) ?? '');
  if (problem !== undefined) {
    const actual = inferDataType(names);
    // The type may have been given for all files.
    const remedy = actual === undefined ? '' : `, which is that of ${actual} (leave out --type, if given)`;
    throw createLineError({ source, line: 1 }, problem + remedy);
  }
  const known = new Map(dataTypeSchema(dataType).map((column) => [column.name, column]));
  const schema = names.map((name): Column => known.get(name) ?? { name, kind: 'text' });
  const unknown = names.filter((name) => !known.has(name));
  const warning =
    unknown.length > 0 ? `${source}: unknown columns of ${dataType}: ${unknown.join(', ')}` : undefined;
  return { schema, warning };
}

/** Why cells are not the header of a data type: not a header, a duplicate name, a missing column. */
export function findHeaderProblem(cells: readonly Uint8Array[], dataType: string): string | undefined {
  if (cells.length > MAX_COLUMNS) return `no header: it has more than ${MAX_COLUMNS} columns`;
  if (cells[0] && hasByteOrderMark(cells[0]))
    return 'no header: the file begins with a byte order mark, so another program has rewritten it; remove the mark';
  const seen = new Set<string>();
  let duplicate: string | undefined;
  for (const cell of cells) {
    const name = parseColumnName(cell);
    if (name === undefined) return `no header: ${formatCell(cell)} is not a column name`;
    if (seen.has(name)) duplicate ??= name;
    seen.add(name);
  }
  if (!LEADING_COLUMNS.some(({ name }) => seen.has(name))) {
    const first = cells[0] ?? new Uint8Array();
    return `no header: the line begins with ${formatCell(first)} and not with "exchange"`;
  }
  if (duplicate !== undefined) return `column ${duplicate}: the name occurs twice`;
  const missing = dataTypeSchema(dataType).filter(({ name }) => !seen.has(name));
  return missing.length > 0
    ? `column ${missing.map(({ name }) => name).join(', ')}: missing in the header of ${dataType}`
    : undefined;
}

/** Whether bytes begin with the mark of UTF-8 or of UTF-16. */
function hasByteOrderMark([a, b, c]: Uint8Array): boolean {
  return (a === 0xef && b === 0xbb && c === 0xbf) || (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
}

/** Undefined if the cell is binary, empty or too long. */
function parseColumnName(cell: Uint8Array): string | undefined {
  if (cell.length === 0 || cell.length > 256 || !isUtf8(cell)) return undefined;
  const name = Buffer.from(cell).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
  return /[\u0000-\u001f\u007f\ufeff]/.test(name) ? undefined : name;
}

const LF = 10;
const QUOTE = 34;

/** The column names in a file's first line, without quotes and a byte order mark. */
export function parseHeaderNames(bytes: Buffer): readonly string[] {
  const end = bytes.indexOf(LF);
  const line = bytes.toString('utf8', 0, end < 0 ? bytes.length : end).replace(/^\uFEFF|\r$/g, '');
  if (!line.includes('"')) return line.split(',');
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

/**
 * The data type whose columns a header contains. Of several, the one with the most columns; of equal ones,
 * the first: a header of `liquidations` gives `trades`, and one of `book_ticker` gives `quotes`. Undefined if there
 * is none.
 */
export function inferDataType(names: readonly string[]): string | undefined {
  const found = new Set(names);
  const matching = DATA_TYPES.map((dataType) => ({ dataType, columns: dataTypeColumns(dataType) ?? [] }))
    .filter(({ columns }) => columns.every(({ name }) => found.has(name)))
    .sort((a, b) => b.columns.length - a.columns.length);
  return matching[0]?.dataType;
}

/** Content of a day file's first row. */
export interface DayFileHeader extends CsvHeader {
  readonly dataType: string;
  /** The header as it is in the file, with its LF; undefined if the file has none. */
  readonly text?: Uint8Array | undefined;
}

/** A header, and what follows it. */
export interface HeaderText {
  readonly header: DayFileHeader;
  /** Whether it has quotes, so that all records of the file may have some. */
  readonly isQuoted: boolean;
  /** Line of the file at which the first row begins. */
  readonly nextLine: number;
  /** Text after the header. */
  readonly rest: Buffer;
}

/**
 * Reads the header of a file, whose text arrives in chunks of any size: it determines how the rows are read. The first
 * row ends at an LF outside quotes.
 */
export class HeaderReader {
  readonly #path: string;
  readonly #dataType: string | undefined;
  readonly #ends = new RecordEndFinder();
  #text = Buffer.alloc(0);

  /**
   * @param path path of the source, for messages.
   * @param dataType undefined if it must be inferred from the column names.
   */
  constructor(path: string, dataType: string | undefined) {
    this.#path = path;
    this.#dataType = dataType;
  }

  /** Whether there was no text. */
  get isEmpty(): boolean {
    return this.#text.length === 0;
  }

  /**
   * Returns the header, once it is complete; undefined before. The chunk may be reused afterwards.
   * @throws TickhaulError `corrupt`, as `parseCsvHeader` does, and for a line without an end.
   */
  push(chunk: Uint8Array): HeaderText | undefined {
    const from = this.#text.length;
    this.#text = Buffer.concat([this.#text, chunk]);
    const end = this.#ends.scan(this.#text, from, Math.min(this.#text.length, MAX_LINE_BYTES), 1);
    if (end >= 0) return this.#read(end);
    if (this.#text.length < MAX_LINE_BYTES) return undefined;
    throw createLineError({ source: this.#path, line: 1 }, this.#ends.inQuotes ? UNCLOSED : TOO_LONG);
  }

  /**
   * The header of a file that ends here; that of the data type, if it has no text.
   * @throws as `push` does; TickhaulError `usage` without any text if the data type is unknown.
   */
  end(): HeaderText {
    const dataType = this.#dataType;
    if (!this.isEmpty) {
      this.#text = Buffer.concat([this.#text, Buffer.of(LF)]);
      return this.#read(this.#text.length);
    }
    if (dataType !== undefined) {
      const header = { dataType, schema: dataTypeSchema(dataType), warning: undefined };
      return { header, isQuoted: false, nextLine: 1, rest: this.#text };
    }
    const message = `${this.#path}: the file is empty and its name does not state the data type; set it with --type`;
    throw new TickhaulError('usage', message);
  }

  #read(end: number): HeaderText {
    const source = this.#path;
    const text = this.#text.subarray(0, end);
    const isQuoted = text.includes(QUOTE);
    const dataType = this.#dataType ?? inferDataType(parseHeaderNames(text)) ?? 'unknown';
    const [cells = []] = isQuoted
      ? parseRecords(text, { source, line: 1 }, [])
      : [splitLine(text.subarray(0, -1))];
    const header = { dataType, text, ...parseCsvHeader(cells, source, dataType) };
    return { header, isQuoted, nextLine: 1 + countRecordLines(cells), rest: this.#text.subarray(end) };
  }
}
