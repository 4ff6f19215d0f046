import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import type { DayFile } from '../../src/day-files/day-file.js';
import type { DayFileSelection } from '../../src/day-files/series-filter.js';
import type { RunEvent, RunSummary } from '../../src/events/run-events.js';
import type { ManifestRecord } from '../../src/store/manifest-record.js';
import { verifyDestination } from '../../src/verify/verify-destination.js';
import { openMemoryBucket } from '../helpers/memory-destination.js';
import { MemoryBucket, type RequestGate } from '../helpers/memory-store.js';
import { createTestRecord } from '../store/manifest/records.js';
import { OWNER } from './helpers.js';

const RECORDS = 'data/.tickhaul/manifest/';
const FILES = ['binance_trades', 'binance_quotes', 'deribit_trades'].flatMap((series) => [
  `${series}_2024-03-01_X.csv.gz`,
  `${series}_2024-04-01_X.csv.gz`,
]);

/** Writes a day file to the bucket. @returns its record. */
function writeDayFile(bucket: MemoryBucket, path: string): ManifestRecord {
  const [exchange = '', dataType = '', day = ''] = path.split('_');
  const file: DayFile = { exchange, dataType, symbol: 'X', day: parseDay(day) };
  const object = bucket.write(`data/${path}`, path);
  return { ...createTestRecord(path), file, bytes: path.length, object };
}

async function record(bucket: MemoryBucket, ...records: readonly ManifestRecord[]): Promise<void> {
  const manifest = await openMemoryBucket(bucket).openManifest({ warn: assert.fail });
  const appended = Promise.all(records.map((one) => manifest.append(one)));
  await manifest.close();
  await appended;
}

interface Checked {
  readonly summary: RunSummary;
  readonly reported: readonly string[];
  /** Objects of the manifest that were read, relative to its root. */
  readonly read: readonly string[];
}

/** @param meanwhile actions of other processes before a request. */
async function check(
  bucket: MemoryBucket,
  selection?: DayFileSelection,
  meanwhile?: RequestGate,
): Promise<Checked> {
  const read: string[] = [];
  const reported: string[] = [];
  const destination = openMemoryBucket(bucket, async (call, moment) => {
    await meanwhile?.(call, moment);
    if (call.name !== 'get' || moment !== 'before') return;
    if (call.key.startsWith(RECORDS)) read.push(call.key.slice(RECORDS.length));
  });
  const emit = (event: RunEvent): void => {
    if (event.event === 'file' && event.status !== 'verified') reported.push(`${event.status} ${event.path}`);
    if (event.event === 'finding' && event.path !== undefined) reported.push(`${event.kind} ${event.path}`);
  };
  const no = { adopt: false, forget: false, clean: false, strict: false };
  const { signal } = new AbortController();
  const input = {
    destination,
    paths: [],
    selection,
    quick: true,
    jobs: 1,
    ...no,
    owner: OWNER,
    emit,
    signal,
  };
  return { summary: await verifyDestination(input), reported, read };
}

test('a check of some series reads only their part of the manifest, and knows the names of all', async () => {
  const bucket = new MemoryBucket();
  await record(bucket, ...FILES.map((path) => writeDayFile(bucket, path)));
  const monthsOf = ({ read }: Checked): readonly string[] =>
    read.map((key) => key.slice(0, key.lastIndexOf('/'))).sort();
  const both = (series: string): readonly string[] => [`${series}/2024-03`, `${series}/2024-04`];
  const one = await check(bucket, { exchanges: ['Binance'], dataTypes: ['TRADES'] });
  assert.deepEqual([monthsOf(one), one.summary.counts], [both('binance/trades'), { verified: 2 }]);
  const two = await check(bucket, { exchanges: ['deribit', 'binance'], dataTypes: ['trades'] });
  assert.deepEqual(monthsOf(two), [...both('binance/trades'), ...both('deribit/trades')]);
  const some = await check(bucket, { dataTypes: ['quo*'], symbols: ['x'] });
  assert.deepEqual([some.read.length, some.summary.counts], [6, { verified: 2 }]);
  await assert.rejects(check(bucket, { exchanges: ['binanc'] }), {
    code: 'usage',
    message: /no day file of exchange "binanc".*binance/,
  });
});

test('a manifest is read once, and after changes by others only these', async () => {
  const bucket = new MemoryBucket();
  const [first = '', ...others] = FILES;
  const gone = writeDayFile(bucket, first);
  await record(bucket, gone, ...others.map((path) => writeDayFile(bucket, path)));
  bucket.delete(`data/${first}`);
  const segments = bucket.keys(RECORDS).map((key) => key.slice(RECORDS.length));
  writeDayFile(bucket, 'binance_trades_2024-03-09_X.csv.gz');
  const alone = await check(bucket);
  assert.deepEqual([...alone.read].sort(), segments);
  const unknown = [
    'missing binance_trades_2024-03-01_X.csv.gz',
    'unknown binance_trades_2024-03-09_X.csv.gz',
  ];
  assert.deepEqual([...alone.reported].sort(), unknown);

  const coming = writeDayFile(bucket, 'binance_quotes_2024-03-09_X.csv.gz');
  const news: Record<string, ManifestRecord[]> = {
    // After the listing, and when the first object is found to be missing.
    [`${RECORDS}`]: [coming],
    [`${RECORDS}binance/trades/2024-03/`]: [{ ...gone, dropped: true }],
  };
  let areListed = false;
  const beside = await check(bucket, undefined, async ({ name, key }, moment) => {
    if (name !== 'list' || moment !== 'before') return;
    areListed ||= key === 'data/';
    if (areListed) await record(bucket, ...(news[key]?.splice(0) ?? []));
  });
  assert.equal(new Set(beside.read).size, segments.length + 2);
  assert.equal(beside.read.length, segments.length + 2);
  assert.deepEqual([...beside.reported].sort(), [
    'skipped binance_trades_2024-03-01_X.csv.gz',
    'unknown binance_trades_2024-03-09_X.csv.gz',
  ]);
});
