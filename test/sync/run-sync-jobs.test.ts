import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Day, formatDay } from '../../src/day-files/day.js';
import { createOutputOptions } from '../../src/format/output-formats.js';
import { verifyFile } from '../../src/gzip/verify-file.js';
import { tryAcquireRunLock } from '../../src/store/lock/run-lock.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { smallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';
import { filterByJob, job, requestedPaths, startNight, syncNow } from './helpers.js';

test('each night, also after missed ones, downloads the new days and nothing twice', async (t) => {
  const dir = await tempDir(t);
  const jobs = [
    job('btc', { from: '2024-03-01' }),
    job('eth', { symbols: ['ETHUSDT'], types: ['quotes'], last: 2 }),
    job('xbt', { exchange: 'kraken', symbols: ['XBT-USD'], date: ['2024-03-01'] }),
  ];
  const downloaded: number[] = [];
  for (const until of ['2024-03-04', '2024-03-05', '2024-03-09', '2024-03-09']) {
    const service = await startNight(t, until);
    const { summary, events, files } = await syncNow(t, service, dir, jobs);
    assert.equal(summary.exitCode, 0);
    assert.deepEqual(
      events.filter(({ event }) => event === 'plan' || event === 'file').map(({ event }) => event),
      ['plan', ...files.map(() => 'file')],
      'the plan of all jobs is reported once, before any file',
    );
    const records = service.requests.map(({ url }) => url).filter((url) => url.startsWith('/v1/exchanges'));
    assert.deepEqual(records.sort(), ['/v1/exchanges/binance-futures', '/v1/exchanges/kraken']);
    assert.deepEqual(
      summary.jobs?.map(({ name, counts }) => [name, Object.values(counts).reduce((a, b) => a + b, 0)]),
      ['btc', 'eth', 'xbt'].map((name) => [name, filterByJob(files, name).length]),
    );
    downloaded.push(summary.counts.downloaded ?? 0);
    assert.equal(requestedPaths(service).length, summary.counts.downloaded ?? 0);
  }
  // btc from the 1st, the last two days of eth, one day of xbt.
  assert.deepEqual(downloaded, [3 + 2 + 1, 1 + 1, 4 + 2, 0]);
});

test('a record that cannot be fetched fails only its job', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const apiUrl = await serve(t, (request, response) => {
    if (request.url?.endsWith('/kraken')) response.writeHead(403).end('{"code":1,"message":"no"}');
    else response.writeHead(302, { location: service.apiUrl + request.url }).end();
  });
  const jobs = [job('xbt', { exchange: 'kraken', symbols: ['XBT-USD'], last: 1 }), job('btc', { last: 1 })];
  const { summary } = await syncNow(t, { ...service, apiUrl }, dir, jobs);
  assert.deepEqual(
    summary.jobs?.map(({ name, exitCode, error }) => [name, exitCode, error?.code]),
    [
      ['xbt', 4, 'no_access'],
      ['btc', 0, undefined],
    ],
  );
  assert.deepEqual([summary.exitCode, summary.counts], [4, { downloaded: 1 }]);
});

test('jobs that fail for several reasons end with 3, and a pending day of a strict job with 7', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const strict = job('late', { from: '2024-03-09', to: '2024-03-12' }, { strict: true });
  const { summary } = await syncNow(t, service, dir, [strict, job('eth', { symbols: ['ETHUSDT'], last: 1 })]);
  assert.deepEqual([summary.exitCode, summary.counts], [7, { downloaded: 2, pending: 2 }]);
  const missing = job('gone', { exchange: 'deribit', symbols: ['BTC-PERPETUAL'], last: 2 });
  const keyless = await syncNow(t, { ...service, apiKey: '' }, dir, [strict, missing]);
  assert.equal(keyless.summary.exitCode, 3);
});

test('a selection that is not in the record is a usage error of that job, before any day file is requested', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  for (const [selection, message] of [
    [{ symbols: ['BTCUSTD'] }, /^tickhaul\.yaml:b: job "b": unknown symbol "BTCUSTD".* BTCUSDT/],
    [{ symbols: ['NOPE*'] }, /^tickhaul\.yaml:b: job "b": no symbol on binance-futures matches "NOPE\*"/],
    [{ types: ['trade'] }, /^tickhaul\.yaml:b: job "b": unknown data type "trade".* trades/],
    [{ exchange: 'deribt' }, /^tickhaul\.yaml:b: job "b": unknown exchange "deribt"; did you mean deribit/],
  ] as const) {
    const jobs = [job('a', { last: 1 }), job('b', { last: 1, ...selection })];
    await assert.rejects(syncNow(t, service, dir, jobs), { code: 'usage', message });
  }
  assert.deepEqual(requestedPaths(service), []);
});

test('two jobs with the same file download it once, and convert it if requested', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { latencyMs: 30 });
  const convert = { options: createOutputOptions('parquet', {}), keepCsv: true, threads: 1 };
  const jobs = [job('a', { last: 2 }), job('b', { last: 2 }), job('c', { last: 2 }, { convert })];
  const { summary, files } = await syncNow(t, service, dir, jobs);
  assert.equal(summary.exitCode, 0);
  assert.equal(requestedPaths(service).length, 2);
  const statuses = (name: string): readonly string[] => filterByJob(files, name).map(({ status }) => status);
  assert.deepEqual(statuses('a'), ['downloaded', 'downloaded']);
  // Read from disk if the first job was still converting when the second started.
  assert.ok(statuses('b').every((status) => status === 'verified' || status === 'skipped'));
  assert.deepEqual([statuses('b').length, ...statuses('c')], [2, 'converted', 'converted']);
  assert.equal((await readdir(dir)).filter((name) => name.endsWith('.parquet')).length, 2);
});

test('a job waits for a file that another job is still fetching, whatever the limit', async (t) => {
  const service = await sandbox(t, { faults: { '500': 1 }, faultsPerFile: 1 });
  const jobs = [job('a', { last: 3 }), job('b', { last: 3 })];
  const options = { dir: await tempDir(t), concurrency: 1 };
  const { summary } = await syncNow(t, service, options.dir, jobs, { options });
  const { downloaded, verified = 0, skipped = 0 } = summary.counts;
  assert.deepEqual([summary.exitCode, downloaded, verified + skipped], [0, 3, 3]);
});

test('a job with its own limits: its first failure ends only it, and its files are downloaded one at a time', async (t) => {
  const service = await sandbox(t, { faults: { empty: 1 }, faultsPerFile: 1 });
  const hasty = job('hasty', { from: '2024-03-01' }, { failFast: true, retries: 0, concurrency: 1 });
  const patient = job('patient', { symbols: ['ETHUSDT'], last: 2 });
  const { summary } = await syncNow(t, service, await tempDir(t), [hasty, patient]);
  const [first, second] = summary.jobs ?? [];
  assert.deepEqual([first?.exitCode, second?.exitCode, second?.counts], [6, 0, { downloaded: 2 }]);
  assert.ok((first?.counts.failed ?? 0) <= 2 && (first?.unfinished ?? 0) >= 7);
  assert.equal(summary.exitCode, 6);
});

test('symbols that a glob newly matches, and delisted ones, are reported', async (t) => {
  const dir = await tempDir(t);
  const jobs = [job('options', { exchange: 'deribit', symbols: ['BTC-*27DEC24*'], last: 1 })];
  // In this order: before they were listed, while they were, and after they were delisted.
  const all = [job('options', { exchange: 'deribit', symbols: ['BTC-*'], last: 1 })];
  const said: (readonly string[])[] = [];
  for (const until of ['2023-12-27', '2023-12-30', '2023-12-31', '2024-12-29']) {
    const { notes, summary } = await syncNow(t, await startNight(t, until), dir, all);
    said.push(notes);
    if (until === '2023-12-30') {
      assert.deepEqual(summary.jobs?.[0]?.newSymbols, ['BTC-27DEC24-100000-C', 'BTC-FS-27DEC24_PERP']);
    }
  }
  assert.deepEqual(said, [
    [],
    ['options: 2 new symbols: BTC-27DEC24-100000-C, BTC-FS-27DEC24_PERP'],
    [],
    ['options: 2 symbols delisted: BTC-27DEC24-100000-C, BTC-FS-27DEC24_PERP'],
  ]);
  const changed = await syncNow(t, await startNight(t, '2024-12-20'), dir, jobs);
  assert.deepEqual(changed.notes, [], 'a selection that was changed by hand is no news');
});

test('after the time limit no file is started, running ones complete, and the rest is reported', async (t) => {
  // Ten rounds of a second: a slow machine has started the first by the limit, and none has completed all.
  const { service, dir } = await sandboxAndFolder(t, { rows: 5000, rate: 100_000 });
  const jobs = [job('btc', { from: '2024-02-01' }), job('eth', { symbols: ['ETHUSDT'], last: 3 })];
  const limits = { options: { concurrency: 4 }, maxDurationMs: 3000 };
  const { summary } = await syncNow(t, service, dir, jobs, limits);
  assert.equal(summary.exitCode, 5);
  assert.equal(summary.error?.code, 'out_of_time');
  const names = (await readdir(dir)).filter((name) => !name.startsWith('.'));
  assert.ok(names.length > 0 && summary.unfinished === 41 - names.length);
  assert.ok(names.every((name) => name.endsWith('.csv.gz')));
  for (const name of names) await verifyFile(join(dir, name));
});

test('a second run in a folder ends with `locked`, and names the first', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const owner = {
    pid: process.pid,
    host: 'here',
    now: Date.now(),
    command: 'the first',
    isAlive: () => true,
  };
  const lock = await tryAcquireRunLock(dir, owner);
  const late = syncNow(t, service, dir, [job('btc', { last: 1 })]);
  await assert.rejects(late, { code: 'locked', message: /the first/ });
  assert.deepEqual(service.requests, []);
  const patient = syncNow(t, service, dir, [job('btc', { last: 1 })], { lockTimeoutMs: 60_000 });
  await lock?.release();
  assert.equal((await patient).summary.exitCode, 0);
});

test('a damaged state file is ignored', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const jobs = [job('btc', { last: 1 })];
  await syncNow(t, service, dir, jobs);
  await writeFile(join(dir, '.tickhaul', 'sync.json'), '{"jobs":{"btc":{"symbols":5}}}');
  assert.equal((await syncNow(t, service, dir, jobs)).summary.exitCode, 0);
});

test('an abort ends all jobs with its code', async (t) => {
  const service = await sandbox(t, { rows: 5000, rate: 50_000 });
  const controller = new AbortController();
  const { summary } = await syncNow(
    t,
    service,
    await tempDir(t),
    [job('a', { from: '2024-03-01' }), job('b', { symbols: ['ETHUSDT'], last: 1 })],
    {
      signal: controller.signal,
      emit: (event) => {
        if (event.event === 'progress') controller.abort();
      },
    },
  );
  assert.deepEqual([summary.exitCode, summary.error?.code], [130, 'interrupted']);
  assert.equal(summary.unfinished, 10);
});

test('a full disk ends the run with a summary of each job', async (t) => {
  const disk = await smallDisk(t, '16k');
  if (!disk) return;
  const service = await sandbox(t);
  const { summary } = await syncNow(t, service, disk.dir, [job('btc', { from: '2024-03-01' })]);
  assert.deepEqual([summary.exitCode, summary.error?.code], [8, 'disk']);
  assert.deepEqual(
    summary.jobs?.map(({ name, error }) => [name, error?.code]),
    [['btc', 'disk']],
  );
});

test('a job that fails does not stop the others, and its days are tried first the next night', async (t) => {
  const dir = await tempDir(t);
  const jobs = [
    job('btc', { from: '2024-03-01' }, { retries: 0 }),
    job('eth', { symbols: ['ETHUSDT'], last: 1 }),
  ];
  const bad = await startNight(t, '2024-03-08', { faults: { '500': 0.4 }, seed: 3 });
  const first = await syncNow(t, bad, dir, jobs);
  const failed = filterByJob(first.files, 'btc').filter(({ status }) => status === 'failed');
  assert.ok(failed.length > 0 && failed.length < 7);
  assert.ok(
    (first.summary.jobs?.[1]?.counts.downloaded ?? 0) + (first.summary.jobs?.[1]?.counts.failed ?? 0) > 0,
  );
  assert.equal(first.summary.exitCode, 5);

  const good = await startNight(t, '2024-03-10');
  const options = { concurrency: 1 };
  const second = await syncNow(t, good, dir, jobs, { options });
  assert.equal(second.summary.exitCode, 0);
  const days = requestedPaths(good).flatMap((path) => path.match(/\d{4}\/\d\d\/\d\d(?=\/BTC)/) ?? []);
  const again = failed.map(({ file }) => formatDay(file?.day as Day).replaceAll('-', '/')).sort();
  // The newest day is first: it shows whether the key has access.
  assert.deepEqual(days, ['2024/03/09', ...again, '2024/03/08']);
  const third = await syncNow(t, good, dir, jobs);
  assert.equal(third.summary.counts.skipped, 10);
});

test('files that failed before, in any job, precede the others of all jobs', async (t) => {
  const dir = await tempDir(t);
  const jobs = [job('btc', { last: 5 }), job('eth', { symbols: ['ETHUSDT'], last: 4 }, { retries: 0 })];
  const bad = await startNight(t, '2024-03-06', { faults: { '500': 1 } });
  await syncNow(t, bad, dir, jobs.slice(1));

  const good = await startNight(t, '2024-03-06');
  await syncNow(t, good, dir, jobs, { options: { concurrency: 1 } });
  const symbols = requestedPaths(good).map((path) => /[A-Z]{3}(?=USDT)/.exec(path)?.[0]);
  assert.deepEqual(symbols, ['BTC', 'BTC', 'ETH', 'ETH', 'ETH', 'ETH', 'BTC', 'BTC', 'BTC']);
});
