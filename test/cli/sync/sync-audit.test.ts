import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runAuditedSync } from '../../../src/commands/run-audited-sync.js';
import { parseDayFileName } from '../../../src/dataset/parse-day-file-name.js';
import type { RunEvent } from '../../../src/run/run-events.js';
import { openDestination } from '../../../src/store/open-destination.js';
import {
  createDayCsv,
  createRecord,
  startRecordHost,
  withDuplicate,
  writeDay,
} from '../../audit/auditing.js';
import { envOf, jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { clientFor } from '../../service/loopback.js';
import { job } from '../../sync/helpers.js';

const TRADES = '{name: a, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 2d';
const QUOTES = '{name: b, exchange: binance-futures, types: quotes, symbols: BTCUSDT, last: 1d';

test('a job with audit audits what it downloaded, and the summary counts conditions', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const data = join(dir, 'data');
  const config = join(dir, 'tickhaul.yaml');
  const env = envOf(service, data);
  const sync = async (text: string, ...args: string[]) => {
    await writeFile(config, text);
    const finished = await runHere(['sync', '--json', '--config', config, ...args], { env });
    assert.equal(finished.exitCode, 0, finished.stderr);
    const lines = jsonLines(finished);
    const days = lines.filter(({ event }) => event === 'day');
    return { days: days.map((day) => `${day['dataType']} ${day['condition']}`), summary: lines.at(-1) };
  };
  const first = await sync(`jobs:\n  - ${TRADES}, audit: true}\n  - ${QUOTES}}\n`);
  assert.deepEqual(first.days, ['trades available', 'trades available']);
  assert.deepEqual([first.summary?.['downloaded'], first.summary?.['available']], [3, 2]);
  const log = (await readFile(join(data, '.tickhaul/audit.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.equal(log.length, 2);
  const again = await sync(`audit: true\njobs:\n  - ${TRADES}}\n  - ${QUOTES}}\n`);
  assert.deepEqual(again.days, [], 'nothing was downloaded');
  assert.equal(again.summary?.['available'], undefined);
  const flag = await sync(`jobs:\n  - ${TRADES}, existing: overwrite}\n`, '--audit');
  assert.equal(flag.days.length, 2);
  const off = await sync(`audit: true\njobs:\n  - ${TRADES}, existing: overwrite, audit: false}\n`);
  assert.deepEqual(off.days, []);
});

test('an audited sync says how many files are not there to audit', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const config = join(dir, 'tickhaul.yaml');
  const env = envOf(service, join(dir, 'data'));
  await writeFile(config, `audit: true\nconvert: parquet\nnoKeepCsv: true\njobs:\n  - ${TRADES}}\n`);
  const { exitCode, stderr } = await runHere(['sync', '--config', config], { env });
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /warning 2 of 2 downloaded files are not audited: only their conversions were kept/);
});

test('an audited sync warns about degraded days, and ends with the code of a corrupt one', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const paths = [
    await writeDay(dir, 1, withDuplicate(createDayCsv(1))),
    await writeDay(dir, 2, 'exchange,symbol,timestamp,local_timestamp\n'),
  ];
  const events: RunEvent[] = [];
  const input = {
    client: clientFor(t, host.env(dir)['TICKHAUL_API_URL'] ?? ''),
    jobs: [{ ...job('a', {}), audit: true }],
    destination: await openDestination(dir),
    options: { concurrency: 'auto' },
    owner: { pid: 1, host: '', command: '', isAlive: () => false, now: Date.now() },
    lockTimeoutMs: 0,
    emit: (event: RunEvent) => events.push(event),
    signal: new AbortController().signal,
  } as const;
  const summary = await runAuditedSync(input, async ({ emit }) => {
    for (const path of paths.map((path) => path.slice(dir.length + 1)))
      emit({ event: 'file', status: 'downloaded', job: 'a', file: parseDayFileName(path), path });
    return { exitCode: 0, counts: { downloaded: 2 }, unfinished: 0, bytes: 7, seconds: 1 };
  });
  assert.deepEqual(summary.days, { degraded: 1, corrupt: 1 });
  assert.deepEqual([summary.exitCode, summary.bytes], [6, 7]);
  const warnings = events.flatMap((event) => (event.event === 'warning' ? event.message : []));
  assert.deepEqual(warnings, [`${paths[0]}: degraded (duplicate_row, duplicate_id)`]);
  assert.ok(!events.some(({ event }) => event === 'plan' || event === 'progress'));
});
