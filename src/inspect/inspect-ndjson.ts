import { TickhaulError } from '../base/errors.js';
import type { ReadChunks } from '../integrity/read-chunks.js';
import { ColumnStats } from './column-stats.js';
import { EdgeRows } from './edge-rows.js';
import { type Cell, type Inspection, TIME_COLUMN } from './inspection.js';
import { readNdjsonText } from './ndjson-text.js';
import { TimeOrder } from './time-order.js';

const LF = 10;

/** The longest line, in bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

type JsonRow = Readonly<Record<string, unknown>>;

interface NdjsonColumn {
  readonly stats: ColumnStats;
  readonly types: Set<string>;
  cells: number;
}

/**
 * Reads `.ndjson`, `.ndjson.gz` or `.ndjson.zst` to its end.
 * @param read how its bytes are read. @throws TickhaulError `createCorruptError`, `disk`, and what `read` throws.
 */
export async function inspectNdjson(
  path: string,
  read: ReadChunks,
  signal: AbortSignal,
): Promise<Inspection> {
  const columns = new Map<string, NdjsonColumn>();
  const order = new TimeOrder();
  const edges = new EdgeRows<JsonRow>();
  let rows = 0;

  const takeLine = (line: string, number: number): void => {
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

  const lines = new LineSplitter(path, takeLine);
  const bytes = await readNdjsonText(path, (text) => lines.push(text), signal, read);
  lines.end();
  const { first, last } = edges.read();
  const names = [...columns.keys()];
  const cellsOf = (entry: JsonRow): Cell[] => names.map((name) => toCell(entry[name]));
  return {
    path,
    format: 'ndjson',
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
    first: first.map(cellsOf),
    last: last.map(cellsOf),
  };
}

/** Cuts text into lines, which are counted from 1. */
class LineSplitter {
  readonly #path: string;
  readonly #use: (line: string, number: number) => void;
  #number = 1;
  /** What came of the line that is not whole yet. */
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(path: string, use: (line: string, number: number) => void) {
    this.#path = path;
    this.#use = use;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#take(chunk.subarray(from, at));
      this.end();
      from = at + 1;
    }
    // The chunk may be written over.
    if (from < chunk.length) this.#take(Buffer.from(chunk.subarray(from)));
  }

  end(): void {
    this.#use(Buffer.concat(this.#pieces).toString(), this.#number++);
    this.#pieces = [];
    this.#length = 0;
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= MAX_LINE_BYTES) return;
    throw new TickhaulError(
      'corrupt',
      `${this.#path}: line ${this.#number} is longer than ${MAX_LINE_BYTES} bytes: this is no NDJSON of rows`,
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
    // Said below.
  }
  const shown = JSON.stringify(line.slice(0, 40));
  throw new TickhaulError('corrupt', `${path}: line ${number}: ${shown} is no JSON object`);
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Microseconds, from an integer or ISO 8601. */
function parseTimeCell(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? /^(.+T\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(value) : null;
  return match ? Date.parse(`${match[1]}Z`) * 1000 + Number(match[2]) : undefined;
}
