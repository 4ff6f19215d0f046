import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { tempDir } from '../../helpers/temp.js';
import { NAME, onDisk, run, setUp } from '../runs.js';

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
