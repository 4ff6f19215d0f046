import { createHash } from 'node:crypto';
import { TickhaulError } from '../../src/base/errors.js';
import type { Files } from '../../src/store/files.js';
import { localFiles } from '../../src/store/folder/local-files.js';
import { isObject } from '../../src/store/location.js';

/** What a store was asked for: `get s3://bucket/key 0-100`, `head …`, `put …`, `remove …`. */
export interface ObjectFiles extends Files {
  readonly objects: Map<string, Buffer>;
  readonly asked: string[];
}

/** Objects in memory, and files of this machine, for tests of what reads and writes either. */
export function objectFiles(objects = new Map<string, Buffer>()): ObjectFiles {
  const asked: string[] = [];
  const etagOf = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
  const find = (location: string): Buffer => {
    const bytes = objects.get(location);
    if (!bytes) throw new TickhaulError('missing', `${location}: there is no such object`);
    return bytes;
  };
  const inStore: Files = {
    async look(location) {
      asked.push(`head ${location}`);
      const bytes = objects.get(location);
      return bytes && { bytes: bytes.length, etag: etagOf(bytes) };
    },
    async read(location, use) {
      asked.push(`get ${location}`);
      const bytes = find(location);
      for (let at = 0; at < bytes.length; at += 10_000) await use(bytes.subarray(at, at + 10_000));
    },
    async openRandom(location) {
      asked.push(`head ${location}`);
      const opened = find(location);
      return {
        bytes: opened.length,
        async read(position, length) {
          asked.push(`get ${location} ${position}-${position + length}`);
          if (objects.get(location) !== opened) throw new TickhaulError('changed', `${location}: it changed`);
          return Buffer.from(opened.subarray(position, position + length));
        },
        async close() {},
      };
    },
    async openPart(location) {
      const parts: Buffer[] = [];
      return {
        write: async (bytes) => void parts.push(Buffer.from(bytes)),
        async publish() {
          asked.push(`put ${location}`);
          const bytes = Buffer.concat(parts);
          objects.set(location, bytes);
          return { etag: etagOf(bytes) };
        },
        async discard() {},
      };
    },
    async remove(location) {
      asked.push(`remove ${location}`);
      objects.delete(location);
    },
    async close() {},
  };
  const of = (location: string): Files => (isObject(location) ? inStore : localFiles);
  return {
    objects,
    asked,
    look: (location, signal) => of(location).look(location, signal),
    read: (location, use, signal) => of(location).read(location, use, signal),
    openRandom: (location, signal) => of(location).openRandom(location, signal),
    openPart: (location, part, signal) => of(location).openPart(location, part, signal),
    remove: (location) => of(location).remove(location),
    async close() {},
  };
}
