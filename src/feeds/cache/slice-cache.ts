import { readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../../base/errors.js';
import type { MinuteRange } from '../../dataset/minutes.js';
import type { Encoding } from '../unpack/unpack.js';
import { evictTo } from './evict.js';
import { type SliceFile, slicePath } from './layout.js';
import { isProvisional } from './slice-index.js';
import { createSliceWriter } from './slice-writer.js';

/** A slice as it came, proven whole. */
export interface ReceivedSlice extends MinuteRange {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly cameMs: number;
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
  keep(exchange: string, key: string, slice: ReceivedSlice): Promise<SliceFile | undefined>;
  /** A slice's bytes, now the most recently used. @throws TickhaulError `missing` where it is gone; `disk`. */
  read(slice: SliceFile): Promise<Buffer>;
  /** Removes what is damaged. */
  drop(slice: SliceFile): Promise<void>;
  /** Sees to the limit where nothing new was kept. */
  trim(): Promise<void>;
}

/** Milliseconds between two notes of a slice's use: they need not be finer for what is used least. */
const USE_MS = 60_000;

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
    if (room < 0) room = await evictTo(feeds, limit);
  };
  return {
    feeds,
    async keep(exchange, key, slice) {
      const { start, end, encoding, bytes } = slice;
      if (!isWritable || bytes.length > (limit ?? Number.POSITIVE_INFINITY)) return undefined;
      if (isProvisional(slice, slice.cameMs)) return undefined;
      const path = slicePath(exchange, key, slice, encoding);
      try {
        await writeSlice(join(feeds, path), bytes);
        await makeRoom(bytes.length);
        return { path, start, end, encoding };
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (isWritable) {
          const reason = diskError(error, feeds);
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
        await noteUse(file).catch(() => {});
        return bytes;
      } catch (error) {
        if (isSystemError(error) && error.code === 'ENOENT') {
          throw new TickhaulError('missing', `${file}: it was there, and is gone`);
        }
        throw diskError(error, file);
      }
    },
    async drop({ path }) {
      await rm(join(feeds, path), { force: true }).catch(() => {});
    },
    async trim() {
      // A cache that may only be read keeps what it has.
      if (limit !== undefined) await evictTo(feeds, limit).catch(() => {});
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
    throw diskError(error, feeds);
  }
}

async function noteUse(file: string): Promise<void> {
  const { atimeMs, mtimeMs } = await stat(file);
  if (Date.now() - atimeMs < USE_MS) return;
  // A cache that may only be read serves as well.
  await utimes(file, new Date(), new Date(mtimeMs)).catch(() => {});
}
