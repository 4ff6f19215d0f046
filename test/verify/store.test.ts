import assert from 'node:assert/strict';
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { orAborted } from '../../src/base/wait.js';
import { readCoverage } from '../../src/coverage/read.js';
import type { Destination } from '../../src/store/destination.js';
import type { FileFacts } from '../../src/store/files.js';
import { openManifest } from '../../src/store/manifest/manifest.js';
import type { ManifestRecord } from '../../src/store/types.js';
import { examine } from '../../src/verify/check/examine.js';
import type { CheckThread } from '../../src/verify/check/threads.js';
import { verify } from '../../src/verify/run.js';
import { etagOf, type FolderAsStore, folderAsStore } from '../helpers/folder-as-store.js';
import { tempDir } from '../helpers/temp.js';
import {
  downloaded,
  FIRST,
  FOURTH,
  type Folder,
  folderOf,
  nameOf,
  OWNER,
  SECOND,
  THIRD,
  type Verified,
  verifyHere,
} from './helpers.js';

const DAY_MS = 86_400_000;

interface Store {
  readonly dir: string;
  readonly store: FolderAsStore;
  readonly folder: Folder;
  verify(...flags: readonly string[]): Promise<Verified>;
}

/** A folder with four day files as a store, whose records have ETags. */
async function stored(t: TestContext): Promise<Store> {
  const folder = await downloaded(t);
  const { dir, service } = folder;
  await record(dir, async (known) => ({
    ...known,
    object: { etag: etagOf(await readFile(join(dir, known.path))) },
  }));
  const store = folderAsStore(dir);
  return { dir, store, folder, verify: (...flags) => verifyHere(service, store, flags, inProcess(store)) };
}

/** Records anew what is recorded. */
async function record(dir: string, amend: (known: ManifestRecord) => Promise<ManifestRecord>): Promise<void> {
  const manifest = await openManifest(dir, { warn: assert.fail });
  for (const known of [...manifest.records()]) await manifest.append(await amend(known));
  await manifest.close();
}

/** A thread of its own would see no folder as a store. */
function inProcess({ files }: FolderAsStore): readonly CheckThread[] {
  const thread: CheckThread = {
    examine: (orders, onBytes) =>
      Promise.all(orders.map((order, index) => examine(order, (count) => onBytes(index, count), files))),
    close: async () => {},
  };
  return [thread, thread];
}

/** The same bytes with other ones behind them, and so another ETag; or other bytes of the same size. */
async function replace(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await writeFile(path, bytes);
}

test('a listing tells what is missing, changed and unknown, and nothing is read', async (t) => {
  const { dir, store, verify } = await stored(t);
  const whole = await verify('--quick');
  assert.deepEqual([whole.exitCode, whole.bad, whole.summary.counts], [0, [], { verified: 4 }]);
  await rm(join(dir, FIRST));
  await truncate(join(dir, SECOND), 100);
  await replace(join(dir, THIRD));
  await copyFile(join(dir, FOURTH), join(dir, nameOf('05')));
  const { exitCode, bad, files } = await verify('--quick');
  assert.deepEqual(
    [exitCode, bad],
    [6, [`corrupt ${SECOND}`, `corrupt ${THIRD}`, `missing ${FIRST}`, `unknown ${nameOf('05')}`]],
  );
  const errors = new Map(files.map(({ path, error }) => [path, error]));
  assert.deepEqual([errors.get(SECOND)?.code, errors.get(THIRD)?.code], ['corrupt', 'changed']);
  assert.match(errors.get(SECOND)?.message ?? '', /has 100 bytes, \d+ were recorded$/);
  assert.match(errors.get(THIRD)?.message ?? '', /another ETag than was recorded: it was written or copied/);
  assert.deepEqual(store.asked, []);
});

test('of an object with another ETag, reading tells whether its bytes are the recorded ones', async (t) => {
  const { dir, store, verify } = await stored(t);
  await record(dir, async (known) =>
    known.path === FIRST ? { ...known, object: { etag: 'a-copy-2' } } : known,
  );
  await replace(join(dir, SECOND));
  await rm(join(dir, THIRD));
  const read = await verify();
  assert.deepEqual(
    [read.exitCode, read.bad, read.summary.counts.verified],
    [6, [`corrupt ${SECOND}`, `missing ${THIRD}`], 2],
  );
  // The listing told their sizes, and that the third isn't there.
  assert.deepEqual([...store.asked].sort(), [`read ${FIRST}`, `read ${SECOND}`, `read ${FOURTH}`]);
  assert.deepEqual((await verify('--quick', FIRST)).bad, [`corrupt ${FIRST}`]);
  assert.equal((await verify('--adopt', FIRST)).exitCode, 0);
  assert.deepEqual((await verify('--quick', FIRST)).bad, []);
});

test('records without an ETag are compared by size, with a warning, and get theirs by --adopt', async (t) => {
  const { dir, verify } = await stored(t);
  await record(dir, async ({ object: _, ...known }) => known);
  const quick = await verify('--quick');
  assert.equal(quick.summary.counts.verified, 4);
  assert.match(quick.warnings, /4 records without an ETag: .*only presence and size were compared/);
  await copyFile(join(dir, FOURTH), join(dir, nameOf('05')));
  assert.deepEqual((await verify('--adopt')).summary.counts, { verified: 5 });
  assert.equal((await verify('--quick')).warnings.trim(), '');
  const manifest = await openManifest(dir, { warn: assert.fail });
  const facts: FileFacts = { bytes: 0, etag: etagOf(await readFile(join(dir, FOURTH))) };
  assert.equal(manifest.get(nameOf('05'))?.object?.etag, facts.etag);
  await manifest.close();
});

test('what another run recorded or dropped meanwhile is not taken for bad', async (t) => {
  const { dir, store, folder } = await stored(t);
  const bytes = gzipSync('exchange,symbol,timestamp,local_timestamp\n1,2,3,4\n');
  const manifest = await openManifest(dir, { warn: assert.fail });
  const [first, second] = [manifest.get(FIRST), manifest.get(SECOND)];
  assert.ok(first && second);
  let isFirst = true;
  const racing: FolderAsStore = {
    ...store,
    async *list(under, signal) {
      if (isFirst) {
        isFirst = false;
        await writeFile(join(dir, FIRST), bytes);
        await rm(join(dir, SECOND));
        await manifest.append({ ...first, bytes: bytes.length, object: { etag: etagOf(bytes) } });
        await manifest.append({ ...second, dropped: true });
      }
      yield* store.list(under, signal);
    },
  };
  const { exitCode, bad, summary } = await verifyHere(folder.service, racing, ['--quick']);
  assert.deepEqual([exitCode, bad, summary.counts.verified], [0, [`skipped ${SECOND}`], 3]);
  await manifest.close();
});

test('uploads that nobody ended for a day are told, and ended where that is asked for', async (t) => {
  const { store, verify } = await stored(t);
  store.begun.push(
    { path: FIRST, id: 'old', begun: Date.now() - 2 * DAY_MS },
    { path: SECOND, id: 'young', begun: Date.now() - DAY_MS / 2 },
    { path: 'elsewhere/x.parquet', id: 'else', begun: Date.now() - 2 * DAY_MS },
  );
  const told = await verify('--quick');
  assert.deepEqual([told.exitCode, told.bad], [0, [`stale ${FIRST}`, 'stale elsewhere/x.parquet']]);
  assert.deepEqual((await verify('--quick', '--clean', FIRST)).bad, [`removed ${FIRST}`]);
  assert.deepEqual(
    store.begun.map(({ id }) => id),
    ['young', 'else'],
  );
});

test('a prefix under which nothing is, and a path of which nothing is known, are usage errors', async (t) => {
  const { folder, verify } = await stored(t);
  const empty = folderAsStore(await tempDir(t));
  await assert.rejects(verifyHere(folder.service, empty, []), {
    code: 'usage',
    message: /^s3:\/\/bucket\/prefix: nothing is there; name the bucket and the prefix/,
  });
  await assert.rejects(verify('nowhere'), {
    code: 'usage',
    message: 's3://bucket/prefix/nowhere: there is no such file or folder, and no record of one',
  });
});

test('--listed is --quick in a folder, and goes with nothing that has to read', async (t) => {
  const { run, dir } = folderOf((await downloaded(t)).service, await tempDir(t));
  assert.equal((await run('verify', '--listed', '--dir', dir)).exitCode, 0);
  for (const flag of ['--repair', '--adopt', '--cache']) {
    const { exitCode, stderr } = await run('verify', '--listed', flag);
    assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2], stderr);
  }
});

test('a check and a survey of a store whose manifest never comes end when they are told to', async (t) => {
  const { store } = await stored(t);
  const isOver = new AbortController();
  const { signal } = isOver;
  const silent: Destination = {
    ...store,
    openManifest: (options) => {
      setImmediate(() => isOver.abort(new TickhaulError('interrupted', 'ended')));
      return orAborted(new Promise(() => {}), options.signal ?? AbortSignal.timeout(10_000));
    },
  };
  const no = { quick: false, adopt: false, forget: false, clean: false, strict: false };
  const input = { destination: silent, paths: [], jobs: 1, ...no, owner: OWNER, emit: () => {}, signal };
  await assert.rejects(verify(input), { message: 'ended' });
  await assert.rejects(readCoverage(silent, { selection: {}, warn: assert.fail, signal }), {
    message: 'ended',
  });
});
