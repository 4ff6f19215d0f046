import { createHash } from 'node:crypto';
import { TickhaulError } from '../../src/base/errors.js';
import type { Destination } from '../../src/store/destination.js';
import type { FileFacts, PartFile } from '../../src/store/files.js';
import { History } from '../../src/store/manifest/history.js';
import type { ManifestRecord } from '../../src/store/types.js';

export interface StoredBytes extends FileFacts {
  readonly body: Buffer;
  readonly etag: string;
}

/** An object store of this process, as a download sees one: whole objects, and records that wait for others. */
export interface MemoryDestination extends Destination {
  readonly objects: Map<string, StoredBytes>;
  readonly records: Map<string, ManifestRecord>;
  /** Objects in the making, now and the most that there were at once. */
  readonly underway: { now: number; most: number };
  put(path: string, body: Buffer): void;
}

/** Told of each piece before it is taken; what it throws, the store does. */
export type OnWrite = (path: string) => void;

const BASE = 's3://bucket/prefix/';

/** @param partBytes memory that an object in the making is said to take. */
export function memoryDestination(partBytes = 1_000_000, onWrite: OnWrite = () => {}): MemoryDestination {
  const objects = new Map<string, StoredBytes>();
  const records = new Map<string, ManifestRecord>();
  const underway = { now: 0, most: 0 };
  const put = (path: string, body: Buffer): void => {
    objects.set(path, { body, bytes: body.length, etag: createHash('md5').update(body).digest('hex') });
  };
  const pathOf = (location: string): string => location.slice(BASE.length);
  const openPart = (path: string): PartFile => {
    const pieces: Buffer[] = [];
    let isOpen = true;
    let isWriting = false;
    underway.most = Math.max(underway.most, ++underway.now);
    const end = (): void => {
      if (isWriting) throw new Error(`${path}: calls overlap`);
      if (isOpen) underway.now--;
      isOpen = false;
    };
    return {
      async write(bytes) {
        if (isWriting || !isOpen) throw new Error(`${path}: written at a wrong time`);
        isWriting = true;
        await new Promise((resolve) => setImmediate(resolve));
        isWriting = false;
        onWrite(path);
        pieces.push(Buffer.from(bytes));
      },
      async publish() {
        end();
        put(path, Buffer.concat(pieces));
        return { etag: objects.get(path)?.etag ?? '' };
      },
      discard: async () => end(),
    };
  };
  return {
    kind: 's3',
    name: BASE.slice(0, -1),
    objects,
    records,
    underway,
    put,
    settings: { stallTimeoutMs: 1000 },
    partBytes,
    locate: (path) => BASE + path,
    files: {
      look: async (location) => objects.get(pathOf(location)),
      async read(location, use) {
        const found = objects.get(pathOf(location));
        if (!found) throw new TickhaulError('missing', `${location}: is not there`);
        await use(found.body);
      },
      openRandom: () => Promise.reject(new Error('nothing is read here and there')),
      openPart: async (location) => openPart(pathOf(location)),
      remove: async (location) => void objects.delete(pathOf(location)),
      async close() {},
    },
    // What is not asked for isn't listed.
    survey: async (prefixes = ['']) => {
      const find = (path: string): StoredBytes | undefined => {
        if (!prefixes.some((prefix) => path.startsWith(prefix))) throw new Error(`${path} was not listed`);
        return objects.get(path);
      };
      return { has: (path) => find(path) !== undefined, facts: find };
    },
    async *list() {
      yield [...objects].map(([path, { bytes, etag }]) => ({ path, bytes, etag }));
    },
    openManifest: async () => openManifest(records),
    takeLock: () => Promise.reject(new Error('nobody is alone here')),
    joinRun: async () => ({ partSuffix: undefined, lost: undefined, async release() {} }),
    readState: async () => undefined,
    async writeState() {},
    freeBytes: async () => undefined,
    async close() {},
  };
}

/** Nothing is recorded before somebody asks for it. */
function openManifest(records: Map<string, ManifestRecord>): ReturnType<Destination['openManifest']> {
  const waiting: (() => void)[] = [];
  const flush = async (): Promise<void> => {
    for (const write of waiting.splice(0)) write();
  };
  return Promise.resolve({
    get size() {
      return records.size;
    },
    history: new History(),
    has: (path: string) => records.has(path),
    get: (path: string) => records.get(path),
    records: () => records.values(),
    now: async () => records,
    append: (record: ManifestRecord) =>
      new Promise<void>((resolve) => {
        waiting.push(() => {
          records.set(record.path, record);
          resolve();
        });
      }),
    flush,
    hurry: () => {},
    close: flush,
  });
}
