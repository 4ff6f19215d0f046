import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { Destination } from '../../../src/store/destination.js';
import { readBytesAt } from '../../../src/store/files.js';
import type { LockOwner } from '../../../src/store/lock/run-lock.js';
import { openDestination } from '../../../src/store/open-destination.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { openMemoryBucket } from '../../helpers/memory-destination.js';
import { MemoryBucket } from '../../helpers/memory-store.js';
import { type ContextWith, storeTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { reachableBucket } from '../s3/opening.js';

/** A store with one empty destination, which no other test uses. */
export interface StoreUnderTest {
  /** Opens the destination, each time as a further client. */
  open(): Promise<Destination>;
  /** Writes a file without the code under test. */
  write(path: string, body: string): Promise<void>;
  /** Everything under the destination: files, parts, unfinished uploads and state. */
  contents(): Promise<readonly string[]>;
  /** Makes the store refuse all further requests. */
  refuse(): Promise<void>;
}

type Work = (store: StoreUnderTest, t: TestContext) => Promise<void>;

/** To add a store: a function that creates it, and an entry here. */
const STORES: readonly {
  readonly name: string;
  declare(title: string, work: Work): void;
}[] = [
  {
    name: 'a folder',
    declare: (title, work) => void test(title, async (t) => work(await createFolder(t), t)),
  },
  {
    name: 'a bucket in memory',
    declare: (title, work) => void test(title, async (t) => work(await createMemoryBucket(), t)),
  },
  {
    name: 'a bucket of a real store',
    declare: (title, work) => storeTest(title, async (t) => work(await createBucket(t), t)),
  },
];

/** Declares a test that every store must pass. */
export function testStores(title: string, work: Work): void {
  for (const { name, declare } of STORES) declare(`${title}: ${name}`, work);
}

async function createFolder(t: TestContext): Promise<StoreUnderTest> {
  const top = await tempDir(t);
  const dir = join(top, 'data');
  return {
    open: () => openDestination(dir),
    async write(path, body) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), body);
    },
    async contents() {
      const entries = await readdir(top, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1)).sort();
    },
    async refuse() {
      // The tests may run as root, which may access everything.
      await rename(dir, join(top, 'elsewhere')).catch(() => {});
      await writeFile(dir, '');
    },
  };
}

async function createMemoryBucket(): Promise<StoreUnderTest> {
  const bucket = new MemoryBucket();
  let isRefusing = false;
  const gate = async (): Promise<void> => {
    if (isRefusing) throw new TickhaulError('store_refused', 'refused');
  };
  return {
    open: async () => openMemoryBucket(bucket, gate),
    async write(path, body) {
      bucket.write(`data/${path}`, body);
    },
    contents: async () => [...bucket.keys(), ...bucket.uploads()].map((key) => key.replace(/^data\//, '')),
    async refuse() {
      isRefusing = true;
    },
  };
}

async function createBucket(t: ContextWith<'store'>): Promise<StoreUnderTest> {
  const { bucket, shim, settings } = await reachableBucket(t);
  return {
    async open() {
      const destination = await openDestination(`s3://${bucket.name}/data`, settings);
      cleanUp(t, () => destination.close());
      return destination;
    },
    write: (path, body) => bucket.write(`data/${path}`, body),
    contents: async () =>
      [...(await bucket.keys()), ...(await bucket.uploads())].map((key) => key.replace(/^data\//, '')),
    async refuse() {
      const operations = [
        ...(['CreateMultipartUpload', 'DeleteObject', 'DeleteObjects', 'GetObject', 'HeadObject'] as const),
        ...(['ListObjectsV2', 'PutObject', 'UploadPart'] as const),
      ];
      for (const operation of operations)
        void shim.harm(operation, { status: 403, code: 'AccessDenied' }, Number.POSITIVE_INFINITY);
    },
  };
}

export async function writeFileTo(destination: Destination, path: string, body: Uint8Array): Promise<void> {
  const part = await destination.files.openPart(destination.locate(path));
  await part.write(body);
  await part.publish();
}

export function readFileFrom({ files, locate }: Destination, path: string): Promise<Buffer> {
  return readBytesAt(files, locate(path));
}

/** An owner of locks whose process is not known to have ended. */
export function createOwner(n: number): LockOwner {
  return { pid: 5_000_000 + n, host: `host ${n}`, now: Date.now(), command: 'sync', isAlive: () => true };
}
