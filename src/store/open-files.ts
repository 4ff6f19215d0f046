import { type ReadChunks, whyNotFound } from '../base/disk-files.js';
import { abortReason, TickhaulError } from '../base/errors.js';
import { toSourceError } from '../gzip/read-source.js';
import { DEFAULT_STORE_SETTINGS, type Files, type StoredFileInfo, type StoreSettings } from './files.js';
import { localFiles } from './folder/local-files.js';
import { isObjectLocation } from './location.js';

/**
 * Opens access to local files and objects by location. The store is not contacted before the first access.
 */
export function openFiles(settings: StoreSettings = DEFAULT_STORE_SETTINGS): Files {
  return createLocationFiles(async () => (await import('./s3/bucket-files.js')).openBucketFiles(settings));
}

/** @param openObjects called at the first access to an object. */
export function createLocationFiles(openObjects: () => Promise<Files>): Files {
  let objects: Promise<Files> | undefined;
  const filesFor = async (location: string): Promise<Files> => {
    if (!isObjectLocation(location)) return localFiles;
    objects ??= openObjects();
    return objects;
  };
  return {
    stat: async (location, signal) => (await filesFor(location)).stat(location, signal),
    read: async (location, use, signal) => (await filesFor(location)).read(location, use, signal),
    openRandom: async (location, signal) => (await filesFor(location)).openRandom(location, signal),
    openPart: async (location, part, signal, bytes) =>
      (await filesFor(location)).openPart(location, part, signal, bytes),
    remove: async (location, signal) => (await filesFor(location)).remove(location, signal),
    hasRecords: async (location, signal) => (await filesFor(location)).hasRecords(location, signal),
    async close() {
      await (await objects)?.close();
    },
  };
}

/** Bytes of all files of a run below which starting a thread takes longer than the work. */
export const SMALL_RUN_BYTES = 8_000_000;
/** More files than that are not looked at. */
const MAX_FILES_OF_SMALL_RUN = 32;

/**
 * Whether a run is to read its files in this thread: a single one, whose long work has helper threads, or small files.
 * Objects of a store are read at the same time, since each is a request that mostly waits.
 */
export async function isSmallRun(
  paths: readonly string[],
  files: Files,
  signal: AbortSignal,
): Promise<boolean> {
  if (paths.length <= 1) return true;
  if (paths.length > MAX_FILES_OF_SMALL_RUN || paths.some(isObjectLocation)) return false;
  // A file that is missing is an error of its job.
  const stats = await Promise.all(paths.map((path) => files.stat(path, signal).catch(() => undefined)));
  return stats.reduce((sum, found) => sum + (found?.bytes ?? 0), 0) < SMALL_RUN_BYTES;
}

/** Stats a source before it is read. @throws TickhaulError `unreadable`, errors of the store. */
export async function statSource(files: Files, path: string, signal: AbortSignal): Promise<StoredFileInfo> {
  const found = await files.stat(path, signal).catch((error: unknown) => {
    throw toSourceError(error, path);
  });
  if (found) return found;
  const why = whyNotFound(
    path,
    'cannot be read: it does not exist, or is a pipe or a device instead of a regular file',
  );
  throw new TickhaulError('unreadable', `${path}: ${why}`);
}

/** Sizes of the requests. */
export interface ReadAheadLimits {
  /** Bytes of a request. */
  readonly rangeBytes: number;
  /** Requests at the same time. */
  readonly maxRanges: number;
}

/** 32 MiB in memory. */
const LIMITS: ReadAheadLimits = { rangeBytes: 8 * 1024 * 1024, maxRanges: 4 };

/**
 * Creates a reader of files that requests several ranges ahead, since one connection to an object store is slower
 * than several threads that process its bytes. Throws what `openRandom` and its reads throw, in the order of the
 * file.
 */
export function createReadAhead(
  files: Pick<Files, 'openRandom'>,
  { rangeBytes, maxRanges }: ReadAheadLimits = LIMITS,
): ReadChunks {
  return async (path, use, signal) => {
    const stop = new AbortController();
    const file = await files.openRandom(path, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    const ranges: Promise<Buffer>[] = [];
    let position = 0;
    try {
      while (position < file.bytes || ranges.length > 0) {
        while (position < file.bytes && ranges.length < maxRanges) {
          const length = Math.min(rangeBytes, file.bytes - position);
          const range = file.read(position, length);
          range.catch(() => {});
          ranges.push(range);
          position += length;
        }
        const range = (await ranges.shift()) as Buffer;
        if (signal?.aborted) throw abortReason(signal);
        await use(range);
      }
    } finally {
      stop.abort();
      await file.close();
    }
  };
}
