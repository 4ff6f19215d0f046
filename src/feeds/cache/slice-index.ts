import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { type Minute, type MinuteRange, MS_PER_MINUTE } from '../../dataset/minute.js';
import {
  hourFolderPath,
  MAX_SLICE_MINUTES,
  parseSliceName,
  type SliceFile,
  UNFINISHED_EXTENSION,
} from './slice-path.js';

/** A slice requested this long after its last minute is complete. */
export const COMPLETE_AFTER_MS = 30 * MS_PER_MINUTE;

/** An unfinished file of this age is abandoned. */
const ABANDONED_MS = 3_600_000;

/** The minutes on disk for some filters. */
export interface SliceIndex {
  /** The slice that contains a minute; if several do, the one that ends last. */
  find(minute: Minute): SliceFile | undefined;
  /** The first minute of a range that is on disk; the range's end if there is none. */
  findFirst(range: MinuteRange): Minute;
  /** Adds a slice that was stored since. */
  add(slice: SliceFile): void;
}

/**
 * Whether a slice received at this time may be incomplete. @param receivedMs milliseconds since the epoch.
 */
export function isProvisional({ end }: MinuteRange, receivedMs: number): boolean {
  return receivedMs < end * MS_PER_MINUTE + COMPLETE_AFTER_MS;
}

/**
 * Looks up a range of minutes in a cache; slices may have any length. A slice that was stored too early
 * counts as missing, by its file's time. Abandoned unfinished files are removed.
 * @param feeds the cache's `feeds` folder; it need not exist.
 * @param keys cache keys of the same filters; the first takes precedence.
 */
export async function readSliceIndex(
  feeds: string,
  exchange: string,
  keys: readonly string[],
  range: MinuteRange,
): Promise<SliceIndex> {
  const byMinute = new Map<Minute, SliceFile>();
  const add = (slice: SliceFile): void => {
    const until = Math.min(slice.end, range.end);
    for (let minute = Math.max(slice.start, range.start); minute < until; minute++) {
      const known = byMinute.get(minute);
      if (!known || slice.end > known.end) byMinute.set(minute, slice);
    }
  };
  for (const key of keys) {
    if (!(await hasFolder(join(feeds, exchange, key)))) continue;
    const first = range.start - MAX_SLICE_MINUTES;
    for (let hour = first - (first % 60); hour < range.end; hour += 60) {
      for (const slice of await listHourSlices(feeds, hourFolderPath(exchange, key, hour), hour)) add(slice);
    }
  }
  return {
    find: (minute) => byMinute.get(minute),
    findFirst({ start, end }) {
      let at = start;
      while (at < end && !byMinute.has(at)) at++;
      return at;
    },
    add,
  };
}

async function listHourSlices(feeds: string, folder: string, hour: Minute): Promise<readonly SliceFile[]> {
  const names = await listNames(join(feeds, folder));
  const slices = await Promise.all(names.map((name) => parseUsableSlice(feeds, folder, hour, name)));
  return slices.filter((slice) => slice !== undefined);
}

/** The slice of a file, if it can be used; an abandoned unfinished file is removed. */
async function parseUsableSlice(
  feeds: string,
  folder: string,
  hour: Minute,
  name: string,
): Promise<SliceFile | undefined> {
  const path = join(feeds, folder, name);
  const slice = parseSliceName(folder, hour, name);
  if (!slice && !name.endsWith(UNFINISHED_EXTENSION)) return undefined;
  // Another process may have removed the file.
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  if (slice) return isProvisional(slice, stats.mtimeMs) ? undefined : slice;
  if (Date.now() - stats.mtimeMs > ABANDONED_MS) await rm(path, { force: true }).catch(() => {});
  return undefined;
}

async function hasFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw toDiskError(error, path);
  });
  return stats?.isDirectory() === true;
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw toDiskError(error, folder);
  }
}

function isNotFound(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
