import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/errors.js';
import { proveFile } from '../../src/integrity/proof.js';
import { FAULT_KINDS, type FaultKind } from '../../src/sandbox/faults.js';
import { openManifest } from '../../src/store/manifest.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { NAME, onDisk, patience, run, setUp } from './runs.js';

test('a day file arrives whole, under its name, with its record', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary, files } = await run(service, dir);
  assert.equal(summary.exitCode, 0);
  assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
  const bytes = await readFile(join(dir, NAME));
  const manifest = await openManifest(dir, { warn: assert.fail });
  const record = manifest.get(NAME);
  assert.equal(record?.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(record?.md5, createHash('md5').update(bytes).digest('hex'));
  assert.equal(record?.bytes, bytes.length);
  assert.equal(record?.rows, gunzipSync(bytes).toString().trimEnd().split('\n').length - 1);
  assert.equal(record?.md5Match, true);
  assert.equal(files[0]?.rows, record?.rows);
});

test('what is there is not asked for again', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const before = service.requests.filter((request) => request.host === 'datasets').length;
  const { summary, files } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.status], [0, 'skipped']);
  assert.equal(service.requests.filter((request) => request.host === 'datasets').length, before);
});

const HEALED: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => kind !== 'transfer-limit' && kind !== 'not-json',
);

for (const redirect of [false, true]) {
  for (const kind of HEALED) {
    test(`a fault "${kind}" on the first try is healed${redirect ? ', behind a redirect' : ''}`, async (t) => {
      const { service, dir } = await setUp(t, {
        faults: { [kind]: 1 },
        faultsPerFile: 1,
        retryAfterSeconds: 0,
        redirect,
      });
      const { summary, files } = await run(service, dir, patience(kind));
      assert.equal(summary.exitCode, 0, JSON.stringify(summary));
      assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
      assert.equal((await readFile(join(dir, NAME))).length, files[0]?.bytes);
      assert.ok(service.requests.some((request) => request.fault === kind));
      if (kind === 'wrong-md5') assert.equal(files[0]?.md5Match, false);
    });
  }
}

const LASTING: readonly (readonly [FaultKind, number, string])[] = [
  ['500', 5, 'server_error'],
  ['503', 5, 'server_error'],
  ['stall', 5, 'stalled'],
  ['rate-limit', 5, 'rate_limited'],
  ['transfer-limit', 5, 'transfer_limit'],
  ['ip-lock', 4, 'ip_locked'],
  ['truncate', 6, 'corrupt'],
  ['bit-flip', 6, 'corrupt'],
  ['html', 6, 'corrupt'],
  ['trailing', 6, 'corrupt'],
  ['empty', 6, 'corrupt'],
  ['short', 6, 'short_body'],
];

for (const [kind, exitCode, code] of LASTING) {
  test(`a fault "${kind}" that lasts ends with code ${exitCode}, and nothing stands under the name`, async (t) => {
    const { service, dir } = await setUp(t, { faults: { [kind]: 1 }, retryAfterSeconds: 0 });
    const { summary, files } = await run(service, dir, { options: { retries: 1 }, ...patience(kind) });
    assert.equal(summary.exitCode, exitCode);
    assert.deepEqual(
      files.map((event) => [event.status, event.error?.code]),
      [['failed', code]],
    );
    assert.deepEqual((await onDisk(dir)).whole, []);
    const manifest = await openManifest(dir, { warn: assert.fail });
    assert.equal(manifest.size, 0);
  });
}

test('a good file outlives a failed attempt to overwrite it', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const before = await readFile(join(dir, NAME));
  const broken = await sandbox(t, { faults: { 'bit-flip': 1 } });
  const { summary } = await run(broken, dir, { options: { existing: 'overwrite', retries: 0 } });
  assert.equal(summary.exitCode, 6);
  assert.deepEqual(await readFile(join(dir, NAME)), before);
});

test('"transfer limit reached" stops the run at once', async (t) => {
  const { service, dir } = await setUp(t, { faults: { 'transfer-limit': 1 } });
  const { summary } = await run(service, dir, { selection: { date: undefined, from: '2024-02-01' } });
  assert.equal(summary.exitCode, 5);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
  assert.ok(summary.unfinished > 30);
});

test('a wrong key is known after two requests', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary } = await run(service, dir, {
    apiKey: 'wrong-key',
    selection: { date: undefined, from: '2024-02-02' },
  });
  assert.equal(summary.exitCode, 4);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
});

test('a wait longer than --max-wait fails, and the rest is not asked for', async (t) => {
  const { service, dir } = await setUp(t, { faults: { 'rate-limit': 1 }, retryAfterSeconds: 3600 });
  const { summary, files } = await run(service, dir, { selection: { date: undefined, from: '2024-02-01' } });
  assert.equal(summary.exitCode, 5);
  assert.match(files[0]?.error?.message ?? '', /3600s is longer than --max-wait/);
  assert.ok(service.requests.filter((request) => request.host === 'datasets').length <= 2);
});

test('files that fail for several reasons end with code 3, for one with its own', async (t) => {
  const { service, dir } = await setUp(t, { faults: { '500': 0.5, empty: 0.5 } });
  const { summary, files } = await run(service, dir, {
    selection: { date: undefined, from: '2024-02-20' },
    options: { retries: 0 },
  });
  const codes = new Set(files.flatMap((event) => event.error?.code ?? []));
  assert.deepEqual([...codes].sort(), ['corrupt', 'server_error']);
  assert.equal(summary.exitCode, 3);
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

test('--strict makes a pending day a failure, after all that is there was fetched', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { date: undefined, from: '2024-03-08', to: '2024-03-12' };
  const { summary } = await run(service, dir, { selection, options: { strict: true } });
  assert.deepEqual([summary.exitCode, summary.counts], [7, { downloaded: 2, pending: 2 }]);
  assert.equal((await run(service, dir, { selection })).summary.exitCode, 0);
});

test('without a key no Authorization header is sent, and only free days are asked for', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary } = await run(service, dir, {
    apiKey: undefined,
    selection: { date: undefined, from: '2024-02-28', to: '2024-03-03' },
  });
  assert.deepEqual([summary.exitCode, summary.counts], [4, { downloaded: 1, unauthorized: 3 }]);
  assert.ok(service.requests.every((request) => !request.authorization));
});

test('the key never reaches the second origin', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true });
  await run(service, dir, { selection: { date: '2024-03-02' } });
  assert.ok(service.requests.some((request) => request.host === 'datasets' && request.authorization));
  const second = service.requests.filter((request) => request.host === 'objects');
  assert.ok(second.length > 0 && second.every((request) => !request.authorization));
});

test('retries begin at the first address, and say which try they are', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, faults: { truncate: 1 }, faultsPerFile: 2 });
  await run(service, dir);
  const urls = service.requests
    .filter((request) => request.host === 'datasets')
    .map((request) => request.url);
  assert.deepEqual(
    urls.map((url) => url.split('?')[1] ?? ''),
    ['', 'retryAttempt=1', 'retryAttempt=2'],
  );
});

test('an interrupted transfer is resumed where the service allows it, and verified as a whole', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, rows: 30_000, rate: 400_000 });
  const abort = new AbortController();
  const first = await run(service, dir, {
    signal: abort.signal,
    onEvent: (event) => {
      if (event.event === 'progress' && event.position > 50_000)
        abort.abort(new TickhaulError('interrupted', 'test'));
    },
  });
  assert.deepEqual([first.summary.exitCode, first.summary.unfinished], [130, 1]);
  assert.deepEqual(await onDisk(dir), { whole: [], parts: [`${NAME}.part`] });
  const { summary, events } = await run(service, dir);
  assert.equal(summary.exitCode, 0);
  assert.equal(events.find((event) => event.event === 'plan')?.resume, 1);
  const range = service.requests.find(({ host, range }) => host === 'objects' && range !== undefined);
  assert.match(range?.range ?? '', /^bytes=[1-9]\d+-$/);
  assert.equal(range?.status, 206);
  assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
  assert.deepEqual(await readdir(join(dir, '.tickhaul/parts')), []);
  const other = await tempDir(t);
  await run(service, other);
  assert.deepEqual(await readFile(join(dir, NAME)), await readFile(join(other, NAME)));
});

test('a part that was damaged on disk is found out, thrown away and fetched anew', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, rows: 30_000, rate: 400_000 });
  const abort = new AbortController();
  await run(service, dir, {
    signal: abort.signal,
    onEvent: (event) => {
      if (event.event === 'progress' && event.position > 50_000) abort.abort();
    },
  });
  const part = join(dir, `${NAME}.part`);
  const bytes = await readFile(part);
  bytes.fill(0xff, 20_000, 20_100);
  await writeFile(part, bytes);
  const { summary, files } = await run(service, dir);
  assert.equal(summary.exitCode, 0);
  assert.equal(files[0]?.attempts, 2);
  assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
});

test('a file that another client left is verified and adopted', async (t) => {
  const { service, dir } = await setUp(t);
  await writeFile(join(dir, NAME), gzipSync('exchange,symbol\na,b\n'));
  const { summary, files } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.status, files[0]?.rows], [0, 'verified', 1]);
  assert.equal((await run(service, dir)).files[0]?.status, 'skipped');
});

test('a file that another client left cut off is downloaded again', async (t) => {
  const { service, dir } = await setUp(t);
  const cut = gzipSync('exchange,symbol\na,b\n').subarray(0, 30);
  await writeFile(join(dir, NAME), cut);
  const { summary, files, events } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.status], [0, 'downloaded']);
  assert.ok(events.some((event) => event.event === 'warning' && event.message.includes(NAME)));
  assert.deepEqual((await onDisk(dir)).whole, [NAME]);
});

test('--existing verify finds a changed byte that size alone does not', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const good = await readFile(join(dir, NAME));
  await writeFile(join(dir, NAME), gzipSync('x').subarray(0, 5));
  await truncate(join(dir, NAME), good.length);
  assert.equal((await run(service, dir)).files[0]?.status, 'skipped', 'skip trusts manifest and size');
  const { files } = await run(service, dir, { options: { existing: 'verify' } });
  assert.equal(files[0]?.status, 'downloaded');
  assert.deepEqual(await readFile(join(dir, NAME)), good);
  assert.equal((await run(service, dir, { options: { existing: 'verify' } })).files[0]?.status, 'verified');
});

test('a deleted file is fetched again, whatever the manifest says', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  await rm(join(dir, NAME));
  assert.equal((await run(service, dir)).files[0]?.status, 'downloaded');
});

test('an empty day is a whole file of no rows', async (t) => {
  const { service, dir } = await setUp(t, { rows: 0 });
  const { summary, files } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.rows], [0, 0]);
});

test('a folder under the file’s name fails that file only', async (t) => {
  const { service, dir } = await setUp(t);
  await mkdir(join(dir, NAME));
  const { summary, files } = await run(service, dir, {
    selection: { date: undefined, from: '2024-03-01', to: '2024-03-04' },
  });
  assert.equal(summary.exitCode, 8);
  assert.deepEqual(files.map((event) => event.status).sort(), ['downloaded', 'downloaded', 'failed']);
});

test('a symbolic link does not lead a file out of the folder', async (t) => {
  const { service, dir } = await setUp(t);
  const outside = await tempDir(t);
  await symlink(outside, join(dir, 'exchange=binance-futures'));
  const { summary } = await run(service, dir, { selection: { layout: 'hive' } });
  assert.equal(summary.exitCode, 8);
  assert.deepEqual(await readdir(outside), []);
});

test('a part that is a symbolic link is not written through', async (t) => {
  const { service, dir } = await setUp(t);
  const victim = join(await tempDir(t), 'victim');
  await writeFile(victim, 'precious');
  await symlink(victim, join(dir, `${NAME}.part`));
  const { summary } = await run(service, dir);
  assert.equal(summary.exitCode, 8);
  assert.equal(await readFile(victim, 'utf8'), 'precious');
});

test('two runs at once into one folder both end well, and leave no part', async (t) => {
  const { service, dir } = await setUp(t, { latencyMs: 5 });
  const selection = { types: ['trades', 'quotes'], date: undefined, from: '2024-02-25' };
  const both = await Promise.all([run(service, dir, { selection }), run(service, dir, { selection })]);
  for (const { summary } of both) assert.deepEqual([summary.exitCode, summary.counts.failed], [0, undefined]);
  const { whole, parts } = await onDisk(dir);
  assert.deepEqual([whole.length, parts], [28, []]);
  const manifest = await openManifest(dir, { warn: assert.fail });
  for (const name of whole)
    assert.equal(manifest.get(name)?.sha256, (await proveFile(join(dir, name))).sha256);
});

test('files in flight never pass the limit, and a file that waits for its next try is none', async (t) => {
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
  t.after(() => {
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

test('the events come in order: the plan first, a start before its file, each file once', async (t) => {
  const { service, dir } = await setUp(t, { faults: { '500': 0.2 }, retryAfterSeconds: 0 });
  const { events, summary } = await run(service, dir, { selection: { date: undefined, from: '2024-02-20' } });
  const kinds = events.filter((event) => event.event === 'plan' || event.event === 'file');
  assert.equal(kinds[0]?.event, 'plan');
  const paths = events.flatMap((event) => (event.event === 'file' ? [event.path] : []));
  assert.equal(new Set(paths).size, paths.length);
  assert.equal(summary.counts.downloaded, paths.length);
});
