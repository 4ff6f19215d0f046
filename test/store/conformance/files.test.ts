import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { TickhaulError } from '../../../src/base/errors.js';
import type { PartFile } from '../../../src/store/files.js';
import { readFileFrom, testStores, writeFileTo } from './stores.js';

/** More than two parts of a multipart upload. */
const LARGE = 13_000_000;

testStores('a file appears as a whole when it is published, and replaces the old one', async (store) => {
  const destination = await store.open();
  const { files, hasLocalPaths } = destination;
  const path = "exchange=x/a' b+%41.csv.gz";
  const location = destination.locate(path);
  let before: Buffer | undefined;
  for (const size of [100_000, 0, 1, LARGE]) {
    const body = randomBytes(size);
    const part = await files.openPart(location, undefined, undefined, size === 1 ? 1 : undefined);
    // The buffer may be reused once it is written.
    const chunk = Buffer.alloc(300_000);
    for (let at = 0; at < size; at += chunk.length)
      await part.write(chunk.subarray(0, body.copy(chunk, 0, at)));
    assert.deepEqual((await files.stat(location))?.bytes, before?.length);
    if (before) assert.ok(before.equals(await readFileFrom(destination, path)));
    const version = await part.publish();
    await part.discard();
    const stored = await files.stat(location);
    assert.deepEqual(
      [stored?.bytes, stored?.etag, stored?.etag !== undefined],
      [size, version?.etag, !hasLocalPaths],
    );
    assert.ok(body.equals(await readFileFrom(destination, path)));
    before = body;
  }
  assert.deepEqual(await store.contents(), [path]);
});

testStores('a write that is discarded or aborted leaves nothing', async (store) => {
  const { files, locate } = await store.open();
  for (const size of [0, 1, LARGE]) {
    for (const isAborted of [false, true]) {
      const stop = new AbortController();
      const part = await files.openPart(locate(`a/${size}.csv.gz`), undefined, stop.signal);
      await part.write(randomBytes(size));
      if (isAborted) stop.abort(new TickhaulError('interrupted', 'ended'));
      await part.discard();
      await part.discard();
    }
  }
  assert.deepEqual(await store.contents(), []);
});

testStores('two writers of one file at the same time leave the whole file of one', async (store) => {
  const destination = await store.open();
  const path = 'a.csv.gz';
  const bodies = [randomBytes(LARGE), randomBytes(LARGE)];
  const writers: { readonly part: PartFile; readonly body: Buffer }[] = [];
  for (const body of bodies) {
    const { files, locate } = await store.open();
    writers.push({ part: await files.openPart(locate(path)), body });
  }
  await Promise.all(writers.map(({ part, body }) => part.write(body)));
  // One after the other: Ceph fails one of two completions of the same key that overlap.
  const published: Buffer[] = [];
  for (const { part, body } of writers) {
    const refused = await part.publish().then(
      () => void published.push(body),
      (error: TickhaulError) => error.code,
    );
    assert.ok(refused === undefined || refused === 'locked', refused);
    await part.discard();
  }
  const stored = await readFileFrom(destination, path);
  assert.ok(published.at(-1)?.equals(stored));
  assert.deepEqual(await store.contents(), [path]);
});

testStores('reads any range of a file, and never mixes in its successor', async (store) => {
  const destination = await store.open();
  const [path, body] = ['a.parquet', randomBytes(100_000)];
  await writeFileTo(destination, path, body);
  const file = await destination.files.openRandom(destination.locate(path));
  assert.equal(file.bytes, body.length);
  for (const [at, length] of [
    [50, 4950],
    [7, 0],
    [99_999, 1],
    [0, body.length],
  ] as const)
    assert.ok(body.subarray(at, at + length).equals(await file.read(at, length)));
  await assert.rejects(file.read(99_990, 20), { code: 'corrupt' });
  await writeFileTo(destination, path, Buffer.alloc(body.length));
  const old = await file.read(0, 4).catch((error: TickhaulError) => error.code);
  assert.ok(old === 'changed' || body.subarray(0, 4).equals(old as Buffer));
  await file.close();
});

testStores('a missing file has no facts, cannot be read, and can be removed', async (store) => {
  const destination = await store.open();
  const { files, locate } = destination;
  await writeFileTo(destination, 'folder/a.csv.gz', Buffer.from('a'));
  for (const path of ['b.csv.gz', 'folder', 'none/a.csv.gz', '']) {
    assert.equal(await files.stat(locate(path)), undefined, path);
  }
  await assert.rejects(readFileFrom(destination, 'b.csv.gz'));
  await assert.rejects(files.openRandom(locate('b.csv.gz')));
  for (const path of ['folder/a.csv.gz', 'folder/a.csv.gz', 'none/a.csv.gz'])
    await files.remove(locate(path));
  assert.deepEqual(await store.contents(), []);
});

testStores('a refused access is an error, and shows no manifest', async (store) => {
  const destination = await store.open();
  const { files, locate } = destination;
  await store.refuse();
  assert.equal(await files.hasRecords(locate('')), false);
  const write = async (): Promise<void> => {
    const part = await files.openPart(locate('a.csv.gz'));
    await part.write(Buffer.from('a'));
    await part.publish().finally(() => part.discard());
  };
  for (const access of [
    () => files.stat(locate('a.csv.gz')),
    write,
    () => destination.readState('sync.json'),
    () => destination.writeState('sync.json', '{}'),
    () => destination.openManifest({ warn: assert.fail }),
  ])
    await assert.rejects(
      access,
      (error: TickhaulError) => error instanceof TickhaulError && error.exitCode > 1,
    );
});
