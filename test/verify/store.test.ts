import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { rejectOnAbort } from '../../src/base/wait.js';
import { readCoverage } from '../../src/describe/coverage/read-coverage.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import type { InspectFiles } from '../../src/verify/file-checks.js';
import { inspectBatch } from '../../src/verify/inspect-file-bytes.js';
import { verifyDestination } from '../../src/verify/verify-destination.js';
import { succeeded } from '../helpers/cli.js';
import { type MemoryDestination, memoryDestination } from '../helpers/memory-destination.js';
import {
  dayFileName,
  downloadFolder,
  FIRST,
  FOURTH,
  type Folder,
  NO_ROWS,
  OWNER,
  SECOND,
  THIRD,
  type Verified,
  verifyHere,
} from './helpers.js';

const DAY_MS = 86_400_000;

interface Store {
  readonly store: MemoryDestination;
  readonly folder: Folder;
  verify(...flags: readonly string[]): Promise<Verified>;
}

/** A store with four day files, whose records have ETags, and the folder of the files. */
async function stored(t: TestContext): Promise<Store> {
  const folder = await downloadFolder(t);
  const store = memoryDestination({ writesAtOnce: true });
  const manifest = await openFolderManifest(folder.dir, { warn: assert.fail });
  for (const known of manifest.records()) {
    const object = store.put(known.path, await readFile(join(folder.dir, known.path)));
    await store.record({ ...known, object });
  }
  await manifest.close();
  const inspect = inThisProcess(store);
  return { store, folder, verify: (...flags) => verifyHere(folder.service, store, flags, inspect) };
}

/** Threads would not see objects in memory. */
function inThisProcess({ files }: MemoryDestination): InspectFiles {
  return (requests, { onEvent, signal = new AbortController().signal }) =>
    inspectBatch(requests, files, (bytes) => void onEvent?.(bytes), signal);
}

function bytesOf(store: MemoryDestination, path: string): Buffer {
  return store.bytes(path) ?? assert.fail(`${path} is not there`);
}

/** Other bytes of the same size, and so another ETag. */
function replace(store: MemoryDestination, path: string): void {
  const bytes = Buffer.from(bytesOf(store, path));
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  store.put(path, bytes);
}

test('a listing shows missing, changed and unknown files, and nothing is read', async (t) => {
  const { store, verify } = await stored(t);
  const whole = await verify('--quick');
  assert.deepEqual([whole.exitCode, whole.bad, whole.summary.counts], [0, [], { verified: 4 }]);
  store.delete(FIRST);
  store.put(SECOND, bytesOf(store, SECOND).subarray(0, 100));
  replace(store, THIRD);
  store.put(dayFileName('05'), bytesOf(store, FOURTH));
  const { exitCode, bad, files } = await verify('--quick');
  assert.deepEqual(
    [exitCode, bad],
    [6, [`corrupt ${SECOND}`, `corrupt ${THIRD}`, `missing ${FIRST}`, `unknown ${dayFileName('05')}`]],
  );
  const errors = new Map(files.map(({ path, error }) => [path, error]));
  assert.deepEqual([errors.get(SECOND)?.code, errors.get(THIRD)?.code], ['corrupt', 'changed']);
  assert.match(errors.get(SECOND)?.message ?? '', /has 100 bytes, \d+ were recorded$/);
  assert.match(
    errors.get(THIRD)?.message ?? '',
    /does not have the recorded ETag, since it was written again or copied/,
  );
  assert.deepEqual(store.asked, []);
});

test('an object with another ETag is read to compare its bytes with the record', async (t) => {
  const { store, verify } = await stored(t);
  const first = (await store.records()).get(FIRST);
  assert.ok(first);
  await store.record({ ...first, object: { etag: 'a-copy-2' } });
  replace(store, SECOND);
  store.delete(THIRD);
  const read = await verify();
  assert.deepEqual(
    [read.exitCode, read.bad, read.summary.counts.verified],
    [6, [`corrupt ${SECOND}`, `missing ${THIRD}`], 2],
  );
  // The listing had their sizes, and that the third is missing.
  assert.deepEqual([...store.asked].sort(), [`get ${FIRST}`, `get ${SECOND}`, `get ${FOURTH}`]);
  assert.deepEqual((await verify('--quick', FIRST)).bad, [`corrupt ${FIRST}`]);
  assert.equal((await verify('--adopt', FIRST)).exitCode, 0);
  assert.deepEqual((await verify('--quick', FIRST)).bad, []);
});

test('records without an ETag are compared by size, with a warning, and get their ETag by --adopt', async (t) => {
  const { store, verify } = await stored(t);
  const records = [...(await store.records()).values()];
  await store.record(...records.map(({ object: _, ...known }) => known));
  const quick = await verify('--quick');
  assert.equal(quick.summary.counts.verified, 4);
  assert.match(
    quick.warnings,
    /4 records without an ETag: .*only presence and size of their objects were compared/,
  );
  const { etag } = store.put(dayFileName('05'), NO_ROWS);
  assert.deepEqual((await verify('--adopt')).summary.counts, { verified: 5 });
  assert.equal((await verify('--quick')).warnings.trim(), '');
  assert.equal((await store.records()).get(dayFileName('05'))?.object?.etag, etag);
});

test('files that another run recorded or dropped meanwhile are not bad', async (t) => {
  const { store, folder } = await stored(t);
  const bytes = gzipSync('exchange,symbol,timestamp,local_timestamp\n1,2,3,4\n');
  const records = await store.records();
  const [first, second] = [records.get(FIRST), records.get(SECOND)];
  assert.ok(first && second);
  let isFirst = true;
  const racing: Destination = {
    ...store,
    async *list(under, signal) {
      if (isFirst) {
        isFirst = false;
        const object = store.put(FIRST, bytes);
        store.delete(SECOND);
        await store.record({ ...first, bytes: bytes.length, object }, { ...second, dropped: true });
      }
      yield* store.list(under, signal);
    },
  };
  const { exitCode, bad, summary } = await verifyHere(folder.service, racing, ['--quick']);
  assert.deepEqual([exitCode, bad, summary.counts.verified], [0, [`skipped ${SECOND}`], 3]);
});

test('a run that takes the lock aborts uploads that have been unfinished for a day', async (t) => {
  const { store, verify } = await stored(t);
  await store.leaveUpload(FIRST, 2 * DAY_MS);
  await store.leaveUpload(SECOND, DAY_MS / 2);
  await store.leaveUpload('elsewhere/x.parquet', 2 * DAY_MS);
  const { exitCode, bad } = await verify('--quick', '--clean');
  assert.deepEqual([exitCode, bad, store.uploads()], [0, [], [SECOND]]);
});

test('an empty prefix, and a path without objects or records, are usage errors', async (t) => {
  const { folder, verify } = await stored(t);
  const empty = memoryDestination();
  await assert.rejects(verifyHere(folder.service, empty, []), {
    code: 'usage',
    message: /^s3:\/\/bucket\/prefix: no objects found; set --dir to a download's bucket and prefix/,
  });
  await assert.rejects(verify('nowhere'), {
    code: 'usage',
    message: 's3://bucket/prefix/nowhere: there is no such file or folder, and no record of one',
  });
});

test('--listed is --quick in a folder, and excludes options that read files', async (t) => {
  const { run, dir } = await downloadFolder(t);
  await succeeded(run('verify', '--listed', '--dir', dir));
  for (const flag of ['--repair', '--adopt', '--cache']) {
    const { exitCode, stderr } = await run('verify', '--listed', flag);
    assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2], stderr);
  }
});

test('a check and a survey of a store that never sends its manifest stop when aborted', async (t) => {
  const { store } = await stored(t);
  const isOver = new AbortController();
  const { signal } = isOver;
  const silent: Destination = {
    ...store,
    openManifest: (options) => {
      setImmediate(() => isOver.abort(new TickhaulError('interrupted', 'ended')));
      return rejectOnAbort(new Promise(() => {}), options.signal ?? AbortSignal.timeout(10_000));
    },
  };
  const no = { quick: false, adopt: false, forget: false, clean: false, strict: false };
  const input = { destination: silent, paths: [], jobs: 1, ...no, owner: OWNER, emit: () => {}, signal };
  await assert.rejects(verifyDestination(input), { message: 'ended' });
  await assert.rejects(readCoverage(silent, { selection: {}, warn: assert.fail, signal }), {
    message: 'ended',
  });
});
