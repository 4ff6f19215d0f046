import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { tryAcquireRunLock } from '../../../src/store/lock/run-lock.js';
import { readResumeNote, writeResumeNote } from '../../../src/store/part-path.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { tempDir } from '../../helpers/temp.js';
import { serve } from '../../service/loopback.js';
import { NAME, OWNER, onDisk, run, setUp } from '../runs.js';

test('resumes an interrupted transfer if the service allows it, and verifies the whole file', async (t) => {
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

test('detects and discards a damaged part file, and downloads the file again', async (t) => {
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

/** Counts the bytes that are read from part files, by path. */
async function countPartReads(t: TestContext, dir: string): Promise<Map<string, number>> {
  const probe = await open(join(dir, 'probe'), 'w+');
  const prototype = Object.getPrototypeOf(probe) as {
    read: (...args: unknown[]) => Promise<{ bytesRead: number }>;
  };
  await probe.close();
  await rm(join(dir, 'probe'));
  const { read } = prototype;
  const counts = new Map<string, number>();
  prototype.read = async function (this: { fd: number }, ...args) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    const result = await read.apply(this, args);
    if (path.endsWith('.part')) counts.set(path, (counts.get(path) ?? 0) + result.bytesRead);
    return result;
  };
  cleanUp(t, () => {
    prototype.read = read;
  });
  return counts;
}

test('a connection that is cut ten times reads no byte on disk, and a later run each byte once', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, rows: 30_000, rate: 400_000 });
  const abort = new AbortController();
  await run(service, dir, {
    signal: abort.signal,
    onEvent: (event) => {
      if (event.event === 'progress' && event.position > 50_000) abort.abort();
    },
  });
  const kept = (await stat(join(dir, `${NAME}.part`))).size;
  const whole = await tempDir(t);
  await run(service, whole);
  const expected = await readFile(join(whole, NAME));

  /** Sends a tenth of the file at a time, then cuts the connection. */
  const pieces = Math.ceil(expected.length / 11);
  let requests = 0;
  const datasetsUrl = await serve(t, (request, response) => {
    requests++;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const headers = { etag: '"e1"', 'accept-ranges': 'bytes', 'content-length': expected.length - from };
    const range = { 'content-range': `bytes ${from}-${expected.length - 1}/${expected.length}` };
    response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...headers, ...range } : headers);
    response.write(expected.subarray(from, from + pieces), () => {
      if (from + pieces >= expected.length) response.end();
      else setImmediate(() => response.destroy());
    });
  });
  const cutting = { ...service, datasetsUrl };
  const fresh = await tempDir(t);
  const reads = await countPartReads(t, fresh);
  const options = { retries: 3 };
  const { summary } = await run(cutting, fresh, { options });
  assert.deepEqual([summary.exitCode, requests, [...reads.values()]], [0, 11, []]);
  assert.deepEqual(await readFile(join(fresh, NAME)), expected);

  // The part of an earlier run is read once, whatever happens to the connection after that.
  const note = join(dir, '.tickhaul/parts', (await readdir(join(dir, '.tickhaul/parts')))[0] ?? '');
  await writeFile(note, JSON.stringify({ etag: '"e1"', total: expected.length }));
  requests = 0;
  const second = await run(cutting, dir, { options });
  assert.equal(second.summary.exitCode, 0);
  assert.ok(requests > 5, `${requests} requests`);
  assert.deepEqual([...reads.values()], [kept]);
  assert.deepEqual(await readFile(join(dir, NAME)), expected);
});

test('a run beside another leaves the part file and the resume note of that one alone', async (t) => {
  const { service, dir } = await setUp(t, { rows: 30_000 });
  const whole = await tempDir(t);
  await run(service, whole);
  const expected = await readFile(join(whole, NAME));
  const lock = await tryAcquireRunLock(dir, OWNER);
  cleanUp(t, async () => lock?.release());
  const note = { etag: '"e1"', total: expected.length };
  await writeFile(join(dir, `${NAME}.part`), expected.subarray(0, 1000));
  await writeResumeNote(dir, NAME, note);

  // No response can be resumed. The second one is small, so that it has no part when its bytes prove to be bad.
  let requests = 0;
  const datasetsUrl = await serve(t, (_, response) => {
    requests++;
    if (requests === 1)
      response.write(expected.subarray(0, 10_000), () => setImmediate(() => response.destroy()));
    else response.end(requests === 2 ? 'no gzip' : expected);
  });
  const { summary, files } = await run({ ...service, datasetsUrl }, dir);
  assert.deepEqual([summary.exitCode, files[0]?.attempts], [0, 3]);
  assert.deepEqual(await readFile(join(dir, NAME)), expected);
  assert.deepEqual(await readResumeNote(dir, NAME), note);
  assert.equal((await stat(join(dir, `${NAME}.part`))).size, 1000);
});
