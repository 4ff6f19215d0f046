import type { ReadChunks } from '../../base/disk-files.js';
import { TickhaulError } from '../../base/errors.js';
import {
  type Cell,
  ColumnStats,
  EdgeRows,
  type FileContent,
  TIME_COLUMN,
  TimeOrder,
} from '../file-content.js';
import { readTextFile } from '../read-text-file.js';

const LF = 10;
const COMMA = 44;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;

/** Limits that keep the memory for a line, and for what is shown of ten of them, small. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_LINE_VALUES = 500_000;
const MAX_COLUMNS = 10_000;
const MAX_NAME_CHARACTERS = 1024;
/** Shorter lines are within the limits of values and memory. */
const SHORT_LINE_CHARACTERS = 64 * 1024;

type JsonRow = Readonly<Record<string, unknown>>;

interface NdjsonColumn {
  readonly stats: ColumnStats;
  readonly types: Set<string>;
  cells: number;
}

/**
 * Reads a `.ndjson`, `.ndjson.gz` or `.ndjson.zst` file to its end.
 * @param read reads the file's bytes.
 * @throws TickhaulError `corrupt`, `disk`, and errors of `read`.
 */
export async function inspectNdjson(
  path: string,
  read: ReadChunks,
  signal: AbortSignal,
): Promise<FileContent> {
  const columns = new Map<string, NdjsonColumn>();
  const order = new TimeOrder();
  const edges = new EdgeRows<JsonRow>();
  let rows = 0;

  const addLine = (line: string, number: number): void => {
    if (line === '') return;
    try {
      addRow(parseLine(line, path, number), number);
    } catch (error) {
      // JSON.stringify is recursive.
      throw error instanceof RangeError ? createLineError(path, number, 'a value is nested too deep') : error;
    }
  };
  const addRow = (entry: JsonRow, number: number): void => {
    rows++;
    for (const name of Object.keys(entry)) {
      const value = entry[name];
      let column = columns.get(name);
      if (!column) {
        if (columns.size === MAX_COLUMNS || name.length > MAX_NAME_CHARACTERS)
          throw createLineError(path, number, 'too many or too long names; not rows of one table');
        column = { stats: new ColumnStats(), types: new Set(), cells: 0 };
        columns.set(name, column);
      }
      const cell = toCell(value);
      column.stats.add(cell);
      column.cells++;
      if (cell !== null) column.types.add(typeof cell);
    }
    const time = parseTimeCell(entry[TIME_COLUMN]);
    if (time !== undefined) order.add(time);
    edges.add(1, () => entry);
  };

  const lines = new LineSplitter(path, addLine);
  const bytes = await readTextFile(path, (text) => lines.push(text), signal, read);
  lines.end();
  const { first, last } = edges.read();
  const names = [...columns.keys()];
  const toCells = (entry: JsonRow): Cell[] => names.map((name) => toCell(entry[name]));
  return {
    bytes,
    rows,
    columns: [...columns].map(([name, { stats, types, cells }]) => ({
      name,
      type: [...types].sort().join(' or ') || 'null',
      nulls: stats.nulls + rows - cells,
      min: stats.min,
      max: stats.max,
    })),
    ...order.read(),
    first: first.map(toCells),
    last: last.map(toCells),
  };
}

/** Splits text into lines, counted from 1. */
class LineSplitter {
  readonly #path: string;
  readonly #onLine: (line: string, number: number) => void;
  #lineNumber = 1;
  /** The incomplete line. */
  #partial = Buffer.alloc(0);
  #length = 0;

  constructor(path: string, onLine: (line: string, number: number) => void) {
    this.#path = path;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      if (this.#length === 0 && chunk[from] === LF) {
        // A blank line: text can consist of millions of them.
        this.#lineNumber++;
        from++;
        continue;
      }
      const at = chunk.indexOf(LF, from);
      if (at < 0) break;
      this.#assertLength(at - from);
      if (this.#length === 0) this.#onLine(chunk.toString('utf8', from, at), this.#lineNumber++);
      else {
        this.#append(chunk.subarray(from, at));
        this.end();
      }
      from = at + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
  }

  end(): void {
    const line = this.#partial.toString('utf8', 0, this.#length);
    this.#length = 0;
    this.#onLine(line, this.#lineNumber++);
  }

  /** Copies: the caller reuses its chunk, and there may be a chunk for each byte. */
  #append(piece: Buffer): void {
    this.#assertLength(piece.length);
    const length = this.#length + piece.length;
    if (length > this.#partial.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * length, SHORT_LINE_CHARACTERS));
      this.#partial.copy(larger, 0, 0, this.#length);
      this.#partial = larger;
    }
    piece.copy(this.#partial, this.#length);
    this.#length = length;
  }

  #assertLength(added: number): void {
    if (this.#length + added <= MAX_LINE_BYTES) return;
    const problem = `longer than ${MAX_LINE_BYTES} bytes; not NDJSON with one row per line`;
    throw new TickhaulError('corrupt', `${this.#path}: line ${this.#lineNumber} is ${problem}`);
  }
}

function parseLine(line: string, path: string, number: number): JsonRow {
  const isShort = line.length <= SHORT_LINE_CHARACTERS;
  if (!isShort && countSeparators(line) > MAX_LINE_VALUES)
    throw createLineError(
      path,
      number,
      `more than ${MAX_LINE_VALUES} values; not NDJSON with one row per line`,
    );
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // Nested values as text, which takes less memory.
      return isShort ? (value as JsonRow) : mapCells(value as JsonRow);
    }
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // The error below also covers invalid JSON.
  }
  throw createLineError(path, number, `not a JSON object: ${JSON.stringify(line.slice(0, 40))}`);
}

function createLineError(path: string, number: number, problem: string): TickhaulError {
  return new TickhaulError('corrupt', `${path}: line ${number}: ${problem}`);
}

/** Counts the characters that precede values; there may be more of them in texts. */
function countSeparators(line: string): number {
  let count = 0;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) count++;
  }
  return count;
}

function mapCells(row: JsonRow): JsonRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toCell(value)]));
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Parses microseconds from an integer or from ISO 8601. */
function parseTimeCell(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? /^(.+T\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(value) : null;
  return match ? Date.parse(`${match[1]}Z`) * 1000 + Number(match[2]) : undefined;
}
