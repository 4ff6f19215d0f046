import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readlinkSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createDeferred } from '../../src/base/wait.js';
import { verifyFile } from '../../src/gzip/verify-file.js';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { cleanUp } from '../helpers/clean-up.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';
import { NAME, onDisk, run, setUp } from './runs.js';

test('downloads a complete day file under its name, with its record', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary, files } = await run(service, dir);
  assert.equal(summary.exitCode, 0);
  assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
  const bytes = await readFile(join(dir, NAME));
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  const record = manifest.get(NAME);
  assert.equal(record?.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(record?.md5, createHash('md5').update(bytes).digest('hex'));
  assert.equal(record?.bytes, bytes.length);
  assert.equal(record?.rows, gunzipSync(bytes).toString().trimEnd().split('\n').length - 1);
  assert.equal(record?.md5Match, true);
  assert.equal(files[0]?.rows, record?.rows);
});

test('keeps a good file after a failed attempt to overwrite it', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const before = await readFile(join(dir, NAME));
  const broken = await sandbox(t, { faults: { 'bit-flip': 1 } });
  const { summary } = await run(broken, dir, { options: { existing: 'overwrite', retries: 0 } });
  assert.equal(summary.exitCode, 6);
  assert.deepEqual(await readFile(join(dir, NAME)), before);
});

test('an error that is a bug ends the files in flight before the run ends', {
  skip: process.platform !== 'linux' && 'no /proc here',
}, async (t) => {
  const { service, dir } = await setUp(t, { rows: 30_000 });
  const selection = { date: undefined, from: '2024-03-01', to: '2024-03-04' };
  const whole = await tempDir(t);
  await run(service, whole, { selection });
  const begun = createDeferred<void>();
  const datasetsUrl = await serve(t, async (request, response) => {
    const [, day = ''] = /2024\/03\/(\d\d)\//.exec(request.url ?? '') ?? [];
    const bytes = await readFile(join(whole, NAME.replace('-01', `-${day}`)));
    // The other files of the plan never end.
    response.writeHead(200, { 'content-length': bytes.length });
    if (day !== '03') return void response.write(bytes.subarray(0, bytes.length / 2));
    await begun.promise;
    response.end(bytes);
  });
  const failing = run({ ...service, datasetsUrl }, dir, {
    selection,
    options: { concurrency: 2 },
    onEvent(event) {
      if (event.event === 'progress' && event.path === NAME) begun.resolve();
      if (event.event === 'file') throw new RangeError('made up');
    },
  });
  await assert.rejects(failing, { name: 'RangeError', message: 'made up' });
  const open = (await readdir('/proc/self/fd')).map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  assert.deepEqual(
    open.filter((path) => path.endsWith('.part')),
    [],
  );
  assert.deepEqual((await onDisk(dir)).whole, [NAME.replace('-01', '-03')]);
});

test('"transfer limit reached" stops the run at once', async (t) => {
  const { service, dir } = await setUp(t, { faults: { 'transfer-limit': 1 } });
  const { summary } = await run(service, dir, { selection: { date: undefined, from: '2024-02-01' } });
  assert.equal(summary.exitCode, 5);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
  assert.ok(summary.unfinished > 30);
});

test('detects a wrong key after two requests', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary } = await run(service, dir, {
    apiKey: 'wrong-key',
    selection: { date: undefined, from: '2024-02-02' },
  });
  assert.equal(summary.exitCode, 4);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
});

test('a wait longer than --max-wait fails, and the other files are not requested', async (t) => {
  const { service, dir } = await setUp(t, { faults: { 'rate-limit': 1 }, retryAfterSeconds: 3600 });
  const { summary, files } = await run(service, dir, { selection: { date: undefined, from: '2024-02-01' } });
  assert.equal(summary.exitCode, 5);
  assert.match(files[0]?.error?.message ?? '', /3600s is longer than --max-wait/);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
});

test('--fail-fast stops at the first failed file', async (t) => {
  const { service, dir } = await setUp(t, { faults: { '500': 1 } });
  const { summary } = await run(service, dir, {
    selection: { date: undefined, from: '2024-02-01' },
    options: { retries: 0, failFast: true },
  });
  assert.equal(summary.counts.failed, 1);
  assert.equal(summary.exitCode, 5);
});

test('--strict fails for a pending day after all available days were downloaded', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { date: undefined, from: '2024-03-08', to: '2024-03-12' };
  const { summary } = await run(service, dir, { selection, options: { strict: true } });
  assert.deepEqual([summary.exitCode, summary.counts], [7, { downloaded: 2, pending: 2 }]);
  assert.equal((await run(service, dir, { selection })).summary.exitCode, 0);
});

test('without a key no Authorization header is sent, and only free days are requested', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary } = await run(service, dir, {
    apiKey: undefined,
    selection: { date: undefined, from: '2024-02-28', to: '2024-03-03' },
  });
  assert.deepEqual([summary.exitCode, summary.counts], [4, { downloaded: 1, unauthorized: 3 }]);
  assert.ok(service.requests.every((request) => !request.authorization));
});

test('two concurrent runs in one folder both succeed, and leave no part file', async (t) => {
  const { service, dir } = await setUp(t, { latencyMs: 5 });
  const selection = { types: ['trades', 'quotes'], date: undefined, from: '2024-02-25' };
  const both = await Promise.all([run(service, dir, { selection }), run(service, dir, { selection })]);
  for (const { summary } of both) assert.deepEqual([summary.exitCode, summary.counts.failed], [0, undefined]);
  const { whole, parts } = await onDisk(dir);
  assert.deepEqual([whole.length, parts], [28, []]);
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  for (const name of whole)
    assert.equal(manifest.get(name)?.sha256, (await verifyFile(join(dir, name))).sha256);
});

test('limits the files in flight, which do not include files that wait for a retry', async (t) => {
  const { service, dir } = await setUp(t, { latencyMs: 10, faults: { '503': 1 }, faultsPerFile: 1 });
  let open = 0;
  let most = 0;
  const count = (by: number) => (message: unknown) => {
    if ((message as { request: { origin: string } }).request.origin !== service.datasetsUrl) return;
    open += by;
    most = Math.max(most, open);
  };
  const [opens, closes] = [count(1), count(-1)];
  const channels = { create: opens, trailers: closes, error: closes };
  for (const [name, on] of Object.entries(channels)) subscribe(`undici:request:${name}`, on);
  cleanUp(t, () => {
    for (const [name, on] of Object.entries(channels)) unsubscribe(`undici:request:${name}`, on);
  });
  const { events, summary } = await run(service, dir, {
    selection: { date: undefined, from: '2024-02-20' },
    options: { concurrency: 1 },
  });
  assert.equal(most, 1);
  assert.equal(summary.exitCode, 0);
  const own = events.filter(({ event }) => event === 'start' || event === 'retry' || event === 'file');
  assert.deepEqual(
    own.slice(0, 3).map(({ event }) => event),
    ['start', 'retry', 'start'],
  );
});

test('emits events in order: the plan first, a start before its file, each file once', async (t) => {
  const { service, dir } = await setUp(t, { faults: { '500': 0.2 }, retryAfterSeconds: 0 });
  const { events, summary } = await run(service, dir, { selection: { date: undefined, from: '2024-02-20' } });
  const kinds = events.filter((event) => event.event === 'plan' || event.event === 'file');
  assert.equal(kinds[0]?.event, 'plan');
  const paths = events.flatMap((event) => (event.event === 'file' ? [event.path] : []));
  assert.equal(new Set(paths).size, paths.length);
  assert.equal(summary.counts.downloaded, paths.length);
});

/** Downloads three files. @returns the number of requests sent when the third file was looked up to count the plan. */
async function requestsBeforeCount(t: TestContext, service: Sandbox, dir: string): Promise<number> {
  let sent = 0;
  const onSend = (message: unknown): void => {
    if ((message as { request: { origin: string } }).request.origin === service.datasetsUrl) sent++;
  };
  subscribe('undici:client:sendHeaders', onSend);
  cleanUp(t, () => void unsubscribe('undici:client:sendHeaders', onSend));
  const folder = openFolderDestination(dir);
  const seen = new Set<string>();
  let sentBefore: number | undefined;
  const openLookup: Destination['openLookup'] = async (...args) => {
    const lookup = await folder.openLookup(...args);
    const has: typeof lookup.has = (path) => {
      if (path.endsWith('.csv.gz') && seen.add(path).size === 3) sentBefore ??= sent;
      return lookup.has(path);
    };
    return { ...lookup, has };
  };
  const selection = { date: undefined, from: '2024-02-28', to: '2024-03-02' };
  const { summary } = await run(service, { ...folder, openLookup }, { selection });
  assert.equal(summary.exitCode, 0);
  return sentBefore ?? assert.fail('the third file was not looked up');
}

test('counts the plan before the first request', async (t) => {
  const { service, dir } = await setUp(t);
  assert.equal(await requestsBeforeCount(t, service, dir), 0);
});

test('counts the plan before a first file that exists is checked', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  await rm(join(dir, '.tickhaul'), { recursive: true });
  assert.equal(await requestsBeforeCount(t, service, dir), 0);
});
