import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dataTypeColumns } from '../../src/day-files/data-types.js';
import type { DayEvent } from '../../src/events/run-events.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';
import { type MadeUpOptions, makeUpRows, toCsv } from './text-rows.js';

export interface AuditRun {
  readonly exitCode: number | null;
  readonly days: readonly DayEvent[];
  readonly summary: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

/** Runs `audit --json` in this process. */
export async function auditHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<AuditRun> {
  const { exitCode, stdout, stderr } = await runHere(['audit', '--json', ...args], { env });
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    exitCode,
    days: events.filter(({ event }) => event === 'day') as unknown as DayEvent[],
    summary: events.at(-1) ?? {},
    stderr,
  };
}

/** Dates with their conditions, such as `03-01 available`. */
export function conditionsOf(days: readonly DayEvent[]): readonly string[] {
  return days.map(({ date, condition }) => `${date.slice(5)} ${condition}`);
}

/** The host of exchange records: those given, and 404 for others. */
export interface RecordHost {
  /** Records by exchange; may be changed while it runs. */
  readonly records: Map<string, Record<string, unknown>>;
  /** Environment of a command that asks this host, with a new cache below the folder. */
  env(dir: string, cache?: string): Record<string, string>;
}

export async function startRecordHost(t: TestContext): Promise<RecordHost> {
  const records = new Map<string, Record<string, unknown>>();
  const address = await serve(t, (request, response) => {
    const id = request.url?.split('/')[3];
    const body = id === undefined ? [...records.values()] : records.get(id);
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { code: 1, message: 'unknown exchange' }));
  });
  let caches = 0;
  return {
    records,
    env: (dir, cache = `.cache-${caches++}`) => ({
      TICKHAUL_API_URL: address,
      TICKHAUL_DIR: dir,
      XDG_CACHE_HOME: join(dir, cache),
    }),
  };
}

/** An empty folder, a host with a record of deribit, and the environment of a command that uses both. */
export async function auditFolder(
  t: TestContext,
): Promise<{ readonly dir: string; readonly host: RecordHost; readonly env: Record<string, string> }> {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  return { dir, host, env: host.env(dir) };
}

/** A record of deribit with one symbol; its export ends before 2024-03-10. */
export function createRecord(
  symbol: Record<string, unknown> = {},
  incidentReports: readonly unknown[] = [],
): Record<string, unknown> {
  const listed = {
    id: 'BTC',
    type: 'perpetual',
    dataTypes: ['trades'],
    availableSince: '2024-01-01T00:00:00.000Z',
  };
  return {
    id: 'deribit',
    incidentReports,
    datasets: {
      exportedFrom: '2024-01-01T00:00:00.000Z',
      exportedUntil: '2024-03-10T00:00:00.000Z',
      symbols: [{ ...listed, ...symbol }],
    },
  };
}

const US_PER_DAY = 86_400_000_000;

/** CSV of a day, shifted from 2024-03-01. */
export function createDayCsv(day: number, options: Partial<MadeUpOptions> = {}): string {
  const { dataType = 'trades' } = options;
  const columns = (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  const rows = makeUpRows({ dataType, rows: 50, seed: 2, faults: 0, ...options }).map((row) => ({
    ...row,
    timestamp: String(Number(row['timestamp']) + (day - 1) * US_PER_DAY),
    local_timestamp: String(Number(row['local_timestamp']) + (day - 1) * US_PER_DAY),
  }));
  return toCsv(columns, rows);
}

/** Writes a day file of March 2024. @param csv made up if it is left out. @returns its path. */
export async function writeDay(
  dir: string,
  day: number,
  csv: string | Buffer = createDayCsv(day),
  dataType = 'trades',
): Promise<string> {
  const path = join(dir, `deribit_${dataType}_2024-03-${String(day).padStart(2, '0')}_BTC.csv.gz`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof csv === 'string' ? gzipSync(csv) : csv);
  return path;
}

/** CSV in which the last row occurs twice. */
export function withDuplicate(csv: string): string {
  const lines = csv.trimEnd().split('\n');
  return `${[...lines, lines.at(-1)].join('\n')}\n`;
}
