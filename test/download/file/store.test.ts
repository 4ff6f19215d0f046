import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TickhaulError } from '../../../src/base/errors.js';
import type { FaultKind } from '../../../src/sandbox/hosts/sandbox-faults.js';
import { type MemoryDestination, memoryDestination } from '../../helpers/memory-destination.js';
import { sandbox } from '../../helpers/sandbox.js';
import { NAME, patience, run } from '../runs.js';

/** Objects are complete and recorded with their version, and no upload is left. */
async function assertStands(store: MemoryDestination, paths: readonly string[]): Promise<void> {
  assert.deepEqual(store.paths(), [...paths].sort());
  assert.equal(store.underway.now, 0);
  const records = await store.records();
  for (const path of paths) {
    gunzipSync(store.bytes(path) ?? '');
    const facts = await store.files.stat(store.locate(path));
    const record = records.get(path);
    assert.deepEqual([record?.bytes, record?.object?.etag], [facts?.bytes, facts?.etag]);
  }
}

for (const kind of ['reset', 'stall', 'truncate', 'bit-flip', 'trailing', '503', 'no-length'] as const) {
  test(`recovers from a fault "${kind}" during a transfer to a store`, async (t) => {
    const service = await sandbox(t, { faults: { [kind]: 1 }, faultsPerFile: 1 });
    const store = memoryDestination();
    const { summary } = await run(service, store, patience(kind));
    assert.equal(summary.exitCode, 0, JSON.stringify(summary));
    await assertStands(store, [NAME]);
  });
}

test('a permanent fault leaves no object and no record', async (t) => {
  for (const kind of ['truncate', 'reset'] satisfies FaultKind[]) {
    const service = await sandbox(t, { faults: { [kind]: 1 } });
    const store = memoryDestination();
    const { summary } = await run(service, store, { options: { retries: 1 } });
    assert.deepEqual(summary.counts, { failed: 1 });
    await assertStands(store, []);
    assert.equal((await store.records()).size, 0);
  }
});

test('a transfer to a store continues where it was interrupted, and sends nothing twice', async (t) => {
  const service = await sandbox(t, { redirect: true, rows: 30_000, faults: { reset: 1 }, faultsPerFile: 3 });
  const store = memoryDestination();
  const { events } = await run(service, store);
  const ranges = service.requests.filter(({ host, status }) => host === 'objects' && status === 206);
  assert.equal(ranges.length, 3);
  for (const { range } of ranges) assert.match(range ?? '', /^bytes=[1-9]\d+-$/);
  await assertStands(store, [NAME]);
  const received = events.reduce((sum, event) => sum + (event.event === 'progress' ? event.received : 0), 0);
  assert.equal(received, store.bytes(NAME)?.length);
});

test('sends a file again after an error of the store', async (t) => {
  const service = await sandbox(t, { rows: 30_000 });
  let writes = 0;
  const store = memoryDestination({
    gate: async ({ name }, moment) => {
      if (name !== 'part' || moment === 'after') return;
      if (++writes === 2) throw new TickhaulError('server_error', 'the store is busy');
    },
  });
  const { summary, files } = await run(service, store);
  assert.deepEqual([summary.exitCode, files[0]?.attempts], [0, 2]);
  await assertStands(store, [NAME]);
});

test('limits the memory of uploads, without blocking other transfers', async (t) => {
  const service = await sandbox(t, { rows: 30_000, faults: { reset: 0.5 }, faultsPerFile: 2 });
  // Memory for two.
  const store = memoryDestination({ uploadMemoryBytes: 150_000_000 });
  const { summary } = await run(service, store, {
    selection: { date: undefined, from: '2024-03-01', to: '2024-03-10' },
    options: { concurrency: 3 },
  });
  assert.deepEqual(summary.counts, { downloaded: 9 });
  assert.ok(store.underway.most <= 2);
  assert.equal((await store.records()).size, 9);
});

test('reads an unrecorded or replaced object once', async (t) => {
  const service = await sandbox(t);
  const store = memoryDestination();
  await run(service, store);
  const asked = service.requests.length;
  const again = async (): Promise<unknown> => (await run(service, store)).summary.counts;
  store.forgetRecords();
  assert.deepEqual(await again(), { verified: 1 });
  await assertStands(store, [NAME]);
  const record = (await store.records()).get(NAME);
  assert.ok(record);
  await store.record({ ...record, object: { etag: 'of another run' } });
  assert.deepEqual(await again(), { verified: 1 });
  await assertStands(store, [NAME]);
  assert.deepEqual(await again(), { skipped: 1 });
  assert.ok(service.requests.slice(asked).every(({ host }) => host === 'api'));
  // Other bytes of the same size.
  store.put(NAME, Buffer.alloc(record.bytes, 1));
  assert.deepEqual(await again(), { downloaded: 1 });
  await assertStands(store, [NAME]);
});
