import { readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import type { MinuteRange } from '../../dataset/minute.js';
import type { SliceEncoding } from '../unpack/unpack-slice.js';
import { evictSlices } from './evict-slices.js';
import { isProvisional } from './slice-index.js';
import { type SliceFile, slicePath } from './slice-path.js';
import { createSliceWriter } from './slice-writer.js';

/** A slice as it came, proven whole. */
export interface ReceivedSlice extends MinuteRange {
  readonly bytes: Buffer;
  readonly encoding: SliceEncoding;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly receivedMs: number;
}

export interface SliceCacheOptions {
  /** Holds `feeds`. */
  readonly folder: string;
  /** Bytes of all slices; undefined for no limit. */
  readonly limit: number | undefined;
  readonly warn: (message: string) => void;
}

/** Slices on disk, which several processes may read, write and empty at once. */
export interface SliceCache {
  /** The folder of all slices. */
  readonly feeds: string;
  /**
   * Keeps a slice under its name, unless it came too early or is larger than the limit. Where the disk can't be written,
   * the run goes on without keeping any, and warns once.
   * @returns where it lies; undefined where it isn't kept.
   */
  write(exchange: string, key: string, slice: ReceivedSlice): Promise<SliceFile | undefined>;
  /** A slice's bytes, now the most recently used. @throws TickhaulError `missing` where it is gone; `disk`. */
  read(slice: SliceFile): Promise<Buffer>;
  /** Removes what is damaged. */
  drop(slice: SliceFile): Promise<void>;
  /** Sees to the limit where nothing new was kept. */
  trim(): Promise<void>;
}

/** Milliseconds between two notes of a slice's use: they need not be finer for what is used least. */
const ACCESS_TIME_STEP_MS = 60_000;

/**
 * A slice's time of change is when it was kept, its time of access when it was last read: nothing else is written down, so
 * nothing can be lost. It gets its name by a rename; it isn't synced, since a file that a power failure cuts short is
 * noticed when it is read, and fetched again.
 */
export function openSliceCache({ folder, limit, warn }: SliceCacheOptions): SliceCache {
  const feeds = join(folder, 'feeds');
  const writeSlice = createSliceWriter();
  let isWritable = true;
  /** Bytes below the limit that are known to be free. */
  let room = 0;

  const makeRoom = async (bytes: number): Promise<void> => {
    if (limit === undefined) return;
    room -= bytes;
    if (room < 0) room = await evictSlices(feeds, limit);
  };
  return {
    feeds,
    async write(exchange, key, slice) {
      const { start, end, encoding, bytes } = slice;
      if (!isWritable || bytes.length > (limit ?? Number.POSITIVE_INFINITY)) return undefined;
      if (isProvisional(slice, slice.receivedMs)) return undefined;
      const path = slicePath(exchange, key, slice, encoding);
      try {
        await writeSlice(join(feeds, path), bytes);
        await makeRoom(bytes.length);
        return { path, start, end, encoding };
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (isWritable) {
          const reason = toDiskError(error, feeds);
          warn(`slices are not kept from here on: ${reason instanceof Error ? reason.message : error.code}`);
        }
        isWritable = false;
        return undefined;
      }
    },
    async read({ path }) {
      const file = join(feeds, path);
      try {
        const bytes = await readFile(file);
        // Evicted meanwhile: it was read all the same.
        await updateAccessTime(file).catch(() => {});
        return bytes;
      } catch (error) {
        if (isSystemError(error) && error.code === 'ENOENT') {
          throw new TickhaulError('missing', `${file}: it was there, and is gone`);
        }
        throw toDiskError(error, file);
      }
    },
    async drop({ path }) {
      await rm(join(feeds, path), { force: true }).catch(() => {});
    },
    async trim() {
      // A cache that may only be read keeps what it has.
      if (limit !== undefined) await evictSlices(feeds, limit).catch(() => {});
    },
  };
}

/** Removes all slices, and nothing else below the cache folder. @throws TickhaulError `disk`. */
export async function clearSlices(folder: string): Promise<void> {
  const feeds = join(folder, 'feeds');
  try {
    // Another process may be filling it.
    await rm(feeds, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw toDiskError(error, feeds);
  }
}

async function updateAccessTime(file: string): Promise<void> {
  const { atimeMs, mtimeMs } = await stat(file);
  if (Date.now() - atimeMs < ACCESS_TIME_STEP_MS) return;
  // A cache that may only be read serves as well.
  await utimes(file, new Date(), new Date(mtimeMs)).catch(() => {});
}
