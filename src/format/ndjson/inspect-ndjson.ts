import { TickhaulError } from '../../base/errors.js';
import type { ReadChunks } from '../../integrity/read-chunks.js';
import { ColumnStats } from '../inspection/column-stats.js';
import { EdgeRows } from '../inspection/edge-rows.js';
import { type Cell, type FileContent, TIME_COLUMN } from '../inspection/file-content.js';
import { TimeOrder } from '../inspection/time-order.js';
import { readNdjsonText } from './ndjson-text.js';

const LF = 10;

/** Maximum length of a line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

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
    const entry = parseLine(line, path, number);
    rows++;
    for (const [name, value] of Object.entries(entry)) {
      let column = columns.get(name);
      if (!column) {
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
  const bytes = await readNdjsonText(path, (text) => lines.push(text), signal, read);
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
  /** Pieces of the incomplete line. */
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(path: string, onLine: (line: string, number: number) => void) {
    this.#path = path;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#append(chunk.subarray(from, at));
      this.end();
      from = at + 1;
    }
    // Copy: the caller reuses the chunk.
    if (from < chunk.length) this.#append(Buffer.from(chunk.subarray(from)));
  }

  end(): void {
    this.#onLine(Buffer.concat(this.#pieces).toString(), this.#lineNumber++);
    this.#pieces = [];
    this.#length = 0;
  }

  #append(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= MAX_LINE_BYTES) return;
    throw new TickhaulError(
      'corrupt',
      `${this.#path}: line ${this.#lineNumber} is longer than ${MAX_LINE_BYTES} bytes; not NDJSON with one row per line`,
    );
  }
}

function parseLine(line: string, path: string, number: number): JsonRow {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as JsonRow;
    }
  } catch {
    // The error below also covers invalid JSON.
  }
  const shown = JSON.stringify(line.slice(0, 40));
  throw new TickhaulError('corrupt', `${path}: line ${number}: not a JSON object: ${shown}`);
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
