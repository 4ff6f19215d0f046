import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { BegunUpload, Destination, ListedFile } from '../../src/store/destination.js';
import type { FileFacts, Files } from '../../src/store/files.js';
import { openFolder } from '../../src/store/folder/folder-destination.js';
import { isInside } from '../../src/store/paths.js';

const NAME = 's3://bucket/prefix';

export interface FolderAsStore extends Destination {
  /** What was read or looked at: `read <path>`, `look <path>`. */
  readonly asked: readonly string[];
  /** Uploads that nobody ended. */
  readonly begun: BegunUpload[];
}

/** A folder that its readers see as a store: one listing tells of all its files, which have ETags. */
export function folderAsStore(dir: string): FolderAsStore {
  const folder = openFolder(dir);
  const asked: string[] = [];
  const begun: BegunUpload[] = [];
  const pathOf = (location: string): string => location.slice(NAME.length + 1);
  const factsOf = (path: string): FileFacts | undefined => {
    const stats = statSync(folder.locate(path), { throwIfNoEntry: false });
    return stats?.isFile()
      ? { bytes: stats.size, etag: etagOf(readFileSync(folder.locate(path))) }
      : undefined;
  };
  const inFolder = (location: string): string => {
    asked.push(`read ${pathOf(location)}`);
    return folder.locate(pathOf(location));
  };
  const files: Files = {
    async look(location) {
      asked.push(`look ${pathOf(location)}`);
      return factsOf(pathOf(location));
    },
    read: (location, use, signal) => folder.files.read(inFolder(location), use, signal),
    openRandom: (location, signal) => folder.files.openRandom(inFolder(location), signal),
    openPart: (location, part, signal) =>
      folder.files.openPart(folder.locate(pathOf(location)), part, signal),
    remove: (location) => folder.files.remove(folder.locate(pathOf(location))),
    close: async () => {},
  };
  async function* list(under: string, signal: AbortSignal): AsyncGenerator<readonly ListedFile[]> {
    for await (const some of folder.list('', signal)) {
      const below = some.filter(({ path }) => under === '' || path.startsWith(`${under}/`));
      yield below.map(({ path }) => ({ path, ...factsOf(path) }));
    }
  }
  return {
    ...folder,
    kind: 's3',
    name: NAME,
    locate: (path) => (path === '' ? NAME : `${NAME}/${assertInside(path)}`),
    files,
    list,
    async survey() {
      const there = new Map<string, FileFacts>();
      for await (const some of list('', new AbortController().signal))
        for (const { path, bytes = 0, etag } of some) there.set(path, { bytes, etag });
      return { has: (path) => there.has(path), facts: (path) => there.get(path) };
    },
    uploads: {
      async *list() {
        yield begun;
      },
      async abandon({ id }) {
        begun.splice(
          begun.findIndex((upload) => upload.id === id),
          1,
        );
      },
    },
    asked,
    begun,
  };
}

export function etagOf(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

function assertInside(path: string): string {
  if (!isInside(path)) throw new Error(`${path} leads out of the store`);
  return path;
}
