import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import type { MinuteRange } from '../../day-files/day.js';
import { evictSlices } from './slice-files.js';
import { isProvisional, type SliceFile, slicePath, UNFINISHED_EXTENSION } from './slice-index.js';
import type { SliceEncoding } from './unpack-slice.js';

/** A verified slice as received. */
export interface ReceivedSlice extends MinuteRange {
  readonly bytes: Buffer;
  readonly encoding: SliceEncoding;
  /** Time of the request, in milliseconds since the epoch. */
  readonly receivedMs: number;
}

interface SliceCacheOptions {
  /** Cache folder, which holds `feeds`. */
  readonly folder: string;
  /** Maximum bytes of all slices; undefined for no limit. */
  readonly limitBytes: number | undefined;
  readonly warn: (message: string) => void;
}

/** Slices on disk. Several processes may read, write and clear the cache at the same time. */
export interface SliceCache {
  /** The folder of all slices. */
  readonly feeds: string;
  /**
   * Stores a slice, unless it is provisional or larger than the limit. After a write error the run continues
   * without storing slices and warns once.
   * @returns the file; undefined if the slice was not stored.
   */
  write(exchange: string, key: string, slice: ReceivedSlice): Promise<SliceFile | undefined>;
  /**
   * Reads a slice and marks it as the most recently used. @throws TickhaulError `missing` if the file is
   * gone; `disk`.
   */
  read(slice: SliceFile): Promise<Buffer>;
  /** Removes a damaged slice. */
  drop(slice: SliceFile): Promise<void>;
  /** Enforces the limit if no slice was written. */
  trim(): Promise<void>;
}

/** Access times are updated at most this often, which is precise enough for eviction. */
const ACCESS_TIME_STEP_MS = 60_000;

/**
 * Opens the slice cache of a folder. Its only metadata are file times: modification is when the slice was
 * stored, access is when it was last read. Files are published by a rename without a sync: a file truncated
 * by a power failure is detected when it is read, and fetched again.
 */
export function openSliceCache({ folder, limitBytes, warn }: SliceCacheOptions): SliceCache {
  const feeds = join(folder, 'feeds');
  const writeSlice = createSliceWriter();
  let isWritable = true;
  /** Bytes known to be free below the limit. */
  let freeBytes = 0;

  const reserve = async (bytes: number): Promise<void> => {
    if (limitBytes === undefined) return;
    freeBytes -= bytes;
    if (freeBytes < 0) freeBytes = await evictSlices(feeds, limitBytes);
  };
  return {
    feeds,
    async write(exchange, key, slice) {
      const { start, end, encoding, bytes } = slice;
      if (!isWritable || bytes.length > (limitBytes ?? Number.POSITIVE_INFINITY)) return undefined;
      if (isProvisional(slice, slice.receivedMs)) return undefined;
      const path = slicePath(exchange, key, slice, encoding);
      try {
        await writeSlice(join(feeds, path), bytes);
        await reserve(bytes.length);
        return { path, start, end, encoding };
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (isWritable) {
          const reason = toDiskError(error, feeds);
          warn(`no longer caching slices: ${reason instanceof Error ? reason.message : error.code}`);
        }
        isWritable = false;
        return undefined;
      }
    },
    async read({ path }) {
      const file = join(feeds, path);
      try {
        const bytes = await readFile(file);
        // The file may have been evicted after it was read.
        await updateAccessTime(file).catch(() => {});
        return bytes;
      } catch (error) {
        if (isSystemError(error) && error.code === 'ENOENT') {
          throw new TickhaulError('missing', `${file}: file disappeared during the run`);
        }
        throw toDiskError(error, file);
      }
    },
    async drop({ path }) {
      await rm(join(feeds, path), { force: true }).catch(() => {});
    },
    async trim() {
      // Ignore errors: a read-only cache cannot be trimmed.
      if (limitBytes !== undefined) await evictSlices(feeds, limitBytes).catch(() => {});
    },
  };
}

/** Removes all slices, and nothing else below the cache folder. @throws TickhaulError `disk`. */
export async function clearSlices(folder: string): Promise<void> {
  const feeds = join(folder, 'feeds');
  try {
    // Retry, since another process may be writing to the folder.
    await rm(feeds, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw toDiskError(error, feeds);
  }
}

async function updateAccessTime(file: string): Promise<void> {
  const { atimeMs, mtimeMs } = await stat(file);
  if (Date.now() - atimeMs < ACCESS_TIME_STEP_MS) return;
  // Ignore errors: a read-only cache can still be used.
  await utimes(file, new Date(), new Date(mtimeMs)).catch(() => {});
}

/** Number of created folders to remember; a folder holds the slices of one hour. */
const MAX_REMEMBERED_FOLDERS = 1000;

/** Writes a slice to its path atomically. */
type SliceWriter = (file: string, bytes: Buffer) => Promise<void>;

/** Creates a writer that creates each folder only once, even if many slices need it at the same time. */
function createSliceWriter(): SliceWriter {
  // Makes temporary names unique across processes.
  const processId = randomBytes(8).toString('hex');
  let count = 0;
  const folders = new Map<string, Promise<void>>();

  const ensureFolder = (folder: string): Promise<void> => {
    const known = folders.get(folder);
    if (known) return known;
    if (folders.size >= MAX_REMEMBERED_FOLDERS) folders.clear();
    const creation = createFolder(folder);
    folders.set(folder, creation);
    return creation;
  };
  const writeSlice = async (file: string, bytes: Buffer, attempts: number): Promise<void> => {
    const folder = dirname(file);
    const unfinished = `${file.replace(/\.[a-z]+$/, '')}${processId}${count++}${UNFINISHED_EXTENSION}`;
    try {
      await ensureFolder(folder);
      await writeFile(unfinished, bytes, { flag: 'wx' });
      await rename(unfinished, file);
    } catch (error) {
      folders.delete(folder);
      await rm(unfinished, { force: true }).catch(() => {});
      // Another process may clear the cache at any time.
      const shouldRetry = isSystemError(error) && error.code === 'ENOENT' && attempts > 1;
      if (!shouldRetry) throw error;
      await writeSlice(file, bytes, attempts - 1);
    }
  };
  return (file, bytes) => writeSlice(file, bytes, 3);
}
