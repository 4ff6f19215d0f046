import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { type Finished, jsonLines, start } from '../../helpers/cli.js';

export const names = async (dir: string): Promise<string[]> => (await readdir(dir)).sort();
export const parts = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.part'));
export const lastLine = (finished: Finished): Record<string, unknown> =>
  jsonLines(finished).at(-1) ?? { event: '' };
export const rowsIn = async (path: string): Promise<number> =>
  Number(parquetMetadata(Uint8Array.from(await readFile(path)).buffer).num_rows);

export const LARGE_ROWS = 50_000;

/** A day file that takes some time to convert: the same rows repeated. */
export async function writeLargeFile(dir: string, symbol: string, times: number): Promise<string> {
  const bytes = repeated(csvOf('incremental_book_L2', LARGE_ROWS), times);
  return writeDayFile(dir, 'incremental_book_L2', bytes, symbol);
}

/** A day file whose conversion takes much longer than a test: a row, 100 million times. */
export async function writeHugeFile(dir: string, symbol: string): Promise<void> {
  const [header = '', row = ''] = csvOf('incremental_book_L2', 1).split('\n');
  const bytes = repeated(`${header}\n${`${row}\n`.repeat(200_000)}`, 500);
  await writeDayFile(dir, 'incremental_book_L2', bytes, symbol);
}

/** Header and rows of a text, each compressed once per text. */
const members = new Map<string, readonly [header: Buffer, rows: Buffer]>();

export function repeated(csv: string, times: number): Buffer {
  const [header, rows] = members.get(csv) ?? membersOf(csv);
  members.set(csv, [header, rows]);
  return Buffer.concat([header, ...Array<Buffer>(times).fill(rows)]);
}

function membersOf(csv: string): [header: Buffer, rows: Buffer] {
  const at = csv.indexOf('\n') + 1;
  return [gzipSync(csv.slice(0, at)), gzipSync(csv.slice(at), { level: 1 })];
}

/** Runs the built command on Linux. @returns its peak memory in kB, and the rows of its first file. */
export async function convertForPeak(words: readonly string[]): Promise<{ peak: number; rows: unknown }> {
  const { child, finished } = start(['convert', ...words, '--json']);
  let peak = 0;
  const look = setInterval(() => {
    // The file no longer exists after the process has ended.
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? peak);
  }, 50);
  child.on('exit', () => clearInterval(look));
  const done = await finished;
  assert.equal(done.exitCode, 0, done.stderr);
  return { peak, rows: jsonLines(done)[1]?.['rows'] };
}
