import { Decompress } from 'fzstd';
import { TickhaulError } from '../../errors.js';
import type { TextSink } from '../../integrity/gunzip.js';
import { readChunks } from '../../integrity/proof.js';
import { readSource } from '../source.js';
import { ColumnStats } from './column-stats.js';
import { EdgeRows } from './edge-rows.js';
import { type Cell, type Inspection, ORDERED_BY } from './inspection.js';
import { TimeOrder } from './time-order.js';

const LF = 10;

/** Reads `.ndjson`, `.ndjson.gz` or `.ndjson.zst` to its end. @throws TickhaulError `corrupt`, `disk`. */
export async function inspectNdjson(path: string, signal: AbortSignal): Promise<Inspection> {
  const columns = new Map<
    string,
    { readonly stats: ColumnStats; readonly types: Set<string>; cells: number }
  >();
  const order = new TimeOrder();
  const edges = new EdgeRows();
  let rows = 0;

  const takeLine = (line: string): void => {
    if (line === '') return;
    const record = parseLine(line, path, rows + 1);
    rows++;
    for (const [name, value] of Object.entries(record)) {
      let column = columns.get(name);
      if (!column) {
        column = { stats: new ColumnStats(), types: new Set(), cells: 0 };
        columns.set(name, column);
      }
      const cell = cellOf(value);
      column.stats.add(cell);
      column.cells++;
      if (cell !== null) column.types.add(typeOf(cell));
    }
    const time = timeOf(record[ORDERED_BY]);
    if (time !== undefined) order.add(time);
    edges.add(1, () => [...columns.keys()].map((name) => cellOf(record[name])));
  };

  const lines = new Lines(takeLine);
  const bytes = await readText(path, (text) => lines.push(text), signal);
  lines.end();
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
    ...edges.read(),
  };
}

async function readText(path: string, onText: TextSink, signal: AbortSignal): Promise<number> {
  if (path.endsWith('.gz')) return (await readSource(path, onText, () => {}, signal)).bytes;
  let bytes = 0;
  const zstd = path.endsWith('.zst')
    ? new Decompress((text) => void onText(Buffer.from(text.buffer, text.byteOffset, text.length)))
    : undefined;
  const push = (chunk: Uint8Array, final: boolean): void => {
    try {
      zstd?.push(chunk, final);
    } catch (error) {
      if (error instanceof TickhaulError || !(error instanceof Error)) throw error;
      throw new TickhaulError('corrupt', `${path}: no whole zstd stream: ${error.message}`, { cause: error });
    }
  };
  await readChunks(
    path,
    async (chunk) => {
      bytes += chunk.length;
      if (zstd) push(Uint8Array.from(chunk), false);
      else await onText(chunk);
    },
    signal,
  );
  push(new Uint8Array(), true);
  return bytes;
}

/** Cuts text into lines. */
class Lines {
  readonly #use: (line: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(use: (line: string) => void) {
    this.#use = use;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      const piece = chunk.subarray(from, at);
      this.#use((this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece).toString());
      this.#rest = Buffer.alloc(0);
      from = at + 1;
    }
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(from)]);
  }

  end(): void {
    this.#use(this.#rest.toString());
  }
}

function parseLine(line: string, path: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Said below.
  }
  const shown = JSON.stringify(line.slice(0, 40));
  throw new TickhaulError('corrupt', `${path}: line ${number}: ${shown} is no JSON object`);
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

function typeOf(cell: NonNullable<Cell>): string {
  return typeof cell;
}

/** Microseconds, from an integer or ISO 8601. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? /^(.+T\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(value) : null;
  return match ? Date.parse(`${match[1]}Z`) * 1000 + Number(match[2]) : undefined;
}
