import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';

/** 2024-03-01T00:00:00Z in microseconds. */
export const DAY_START = 1_709_251_200_000_000;

/** A day file: its name without the extension, its columns after the leading ones, and rows. */
export interface TestDay {
  readonly name: string;
  readonly columns: readonly string[];
  /** Symbol, exchange time and local time in microseconds after midnight, then the other cells. */
  readonly rows: readonly (readonly [symbol: string, time: number, local: number, ...cells: string[]])[];
}

export const TRADE_COLUMNS = ['id', 'side', 'price', 'amount'];
export const QUOTE_COLUMNS = ['ask_amount', 'ask_price', 'bid_price', 'bid_amount'];
export const BOOK_COLUMNS = ['is_snapshot', 'side', 'price', 'amount'];

/** Columns of a book snapshot. */
export function snapshotColumns(depth: number): readonly string[] {
  return Array.from({ length: depth }, (_, i) =>
    ['asks', 'bids'].flatMap((side) => [`${side}[${i}].price`, `${side}[${i}].amount`]),
  ).flat();
}

/** A row of a catalog's file. Fixed-point numbers are bigints, like integers of 64 bits. */
export type CatalogRow = Readonly<Record<string, bigint | number | string>>;

export interface CatalogFile {
  /** Relative to the output folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly rows: readonly CatalogRow[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Exported {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly CatalogFile[];
}

/** Flags that make instrument metadata unnecessary. */
export const PRECISION_FLAGS = ['--price-precision', '2', '--size-precision', '3'];

/** Exports days with `export nautilus`, without network, in this process. */
export async function exportDays(
  t: TestContext,
  days: readonly TestDay[],
  flags: readonly string[] = PRECISION_FLAGS,
): Promise<Exported> {
  const dir = await tempDir(t);
  for (const day of days) await writeDay(join(dir, 'days'), day);
  const out = join(dir, 'catalog');
  return exportFolder(join(dir, 'days'), out, ['--offline', ...flags], {
    XDG_CACHE_HOME: join(dir, 'cache'),
  });
}

/** Exports a folder of day files, and reads the catalog. */
export async function exportFolder(
  folder: string,
  out: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Exported> {
  const { exitCode, stdout, stderr } = await runHere(
    ['export', 'nautilus', folder, '-o', out, '--json', ...flags],
    { env },
  );
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { exitCode, stderr, events, files: await readCatalog(out) };
}

/** Messages of the warnings, a line each, but for that about instruments: these days have no metadata. */
export function warningsOf({ stderr }: Exported): string {
  return stderr
    .split('\n')
    .filter((line) => line.includes('warning') && !line.includes('does not get the instruments'))
    .join('\n');
}

/** Writes a day file. */
export async function writeDay(folder: string, day: TestDay): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${day.name}.csv.gz`), gzipSync(formatDay(day), { level: 1 }));
}

function formatDay({ name, columns, rows }: TestDay): string {
  const [exchange] = name.split('_');
  const header = ['exchange', 'symbol', 'timestamp', 'local_timestamp', ...columns].join(',');
  const lines = rows.map(([symbol, time, local, ...cells]) =>
    [exchange, symbol, DAY_START + time, DAY_START + local, ...cells].join(','),
  );
  return [header, ...lines, ''].join('\n');
}

/** Files with market data of a catalog, by path. */
export async function readCatalog(out: string): Promise<readonly CatalogFile[]> {
  const paths = (await listFiles(out)).filter((name) => !INSTRUMENT_FOLDER.test(name));
  return Promise.all(paths.map((path) => readFileOf(out, join('data', path))));
}

const INSTRUMENT_FOLDER = /^(?:instruments|currency_pair|crypto_(?:perpetual|future|option))\//;

/** Instruments of a catalog, by path: the values of their rows. */
export async function readInstruments(out: string): Promise<Readonly<Record<string, object>>> {
  const paths = (await listFiles(out)).filter((name) => INSTRUMENT_FOLDER.test(name));
  const rows = paths.map(async (path) => {
    const bytes = new Uint8Array(await readFile(join(out, 'data', path)));
    const [row = {}] = await parquetReadObjects({ file: bytes.buffer });
    return [path, row] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** Parquet files, relative to `data`. */
async function listFiles(out: string): Promise<readonly string[]> {
  const names = await readdir(join(out, 'data'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.parquet')).sort();
}

async function readFileOf(out: string, path: string): Promise<CatalogFile> {
  const bytes = new Uint8Array(await readFile(join(out, path)));
  const file = bytes.buffer;
  const rows = await parquetReadObjects({ file });
  const pairs = parquetMetadata(file).key_value_metadata ?? [];
  return {
    path,
    bytes,
    rows: rows.map(toRow),
    metadata: Object.fromEntries(pairs.map(({ key, value }) => [key, value ?? ''])),
  };
}

function toRow(values: Readonly<Record<string, unknown>>): CatalogRow {
  const row: Record<string, bigint | number | string> = {};
  for (const name in values) row[name] = toCell(name, values[name]);
  return row;
}

function toCell(name: string, value: unknown): bigint | number | string {
  if (value instanceof Uint8Array) return readFixed(value, !/size|volume/.test(name));
  assert.ok(typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string');
  return value;
}

function readFixed(bytes: Uint8Array, isSigned: boolean): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let value = 0n;
  for (let at = bytes.length - 8; at >= 0; at -= 8) value = (value << 64n) | view.getBigUint64(at, true);
  return isSigned ? BigInt.asIntN(8 * bytes.length, value) : value;
}
