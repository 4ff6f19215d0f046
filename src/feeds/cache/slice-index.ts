import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { type Minute, type MinuteRange, MS_PER_MINUTE } from '../../dataset/minute.js';
import type { SliceEncoding } from '../unpack/unpack-slice.js';
import {
  hourFolderPath,
  MAX_SLICE_MINUTES,
  parseSliceName,
  type SliceFile,
  slicePath,
  UNFINISHED_EXTENSION,
} from './slice-path.js';

/** Milliseconds after its last minute from which on a slice is sure to be all there is. */
export const COMPLETE_AFTER_MS = 30 * MS_PER_MINUTE;

/** Milliseconds after which nobody will finish an unfinished file. */
const ABANDONED_MS = 3_600_000;

/** Lookups at once: each has the names of an hour in memory, and asks the disk about all of them together. */
const lookingUp = pLimit(4);
/** Those that have not begun: a request for the same gets the same answer. */
const waiting = new Map<string, Promise<PackedIndex>>();
const ENCODINGS: readonly SliceEncoding[] = ['gzip', 'zstd'];

/** Which minutes of some filters are on disk. */
export interface SliceIndex {
  /** The slice that has the minute, of several the one that goes on for longest. */
  at(minute: Minute): SliceFile | undefined;
  /** The first minute of a range that is on disk; its end where there is none. */
  firstOf(range: MinuteRange): Minute;
  /** A slice that came since. */
  add(slice: SliceFile): void;
}

/** Whether a slice that came at this time may have come too early to be whole. @param ms since the epoch. */
export function isProvisional({ end }: MinuteRange, receivedMs: number): boolean {
  return receivedMs < end * MS_PER_MINUTE + COMPLETE_AFTER_MS;
}

/**
 * Looks up a range in a cache, minute by minute: how long slices are doesn't matter. What came too early, by the file's
 * time, counts as not there. Unfinished files that a killed run left are removed on the way.
 * @param feeds the cache's `feeds` folder; nothing may be there.
 * @param keys of the same filters, the first before the others.
 */
export async function readSliceIndex(
  feeds: string,
  exchange: string,
  keys: readonly string[],
  range: MinuteRange,
): Promise<SliceIndex> {
  const name = JSON.stringify([feeds, exchange, keys, range.start, range.end]);
  const known = waiting.get(name);
  const lookup =
    known ??
    lookingUp(() => {
      waiting.delete(name);
      return lookUp(feeds, exchange, keys, range);
    });
  if (!known) waiting.set(name, lookup);
  return (await lookup).copy();
}

async function lookUp(
  feeds: string,
  exchange: string,
  keys: readonly string[],
  range: MinuteRange,
): Promise<PackedIndex> {
  const index = new PackedIndex(exchange, keys, range);
  for (const key of keys) {
    if (!(await hasFolder(join(feeds, exchange, key)))) continue;
    const first = range.start - MAX_SLICE_MINUTES;
    for (let hour = first - (first % 60); hour < range.end; hour += 60) {
      for (const slice of await listHourSlices(feeds, hourFolderPath(exchange, key, hour), hour))
        index.add(slice);
    }
  }
  return index;
}

/** A few bytes a minute: a server has an index for each of its clients, of months maybe. */
class PackedIndex implements SliceIndex {
  readonly #exchange: string;
  readonly #keys: readonly string[];
  readonly #range: MinuteRange;
  /** Of the slice that has a minute: its length, 0 for none; how far behind its start; its key and encoding. */
  readonly #lengths: Uint8Array;
  readonly #offsets: Uint8Array;
  readonly #kinds: Uint8Array;

  constructor(exchange: string, keys: readonly string[], range: MinuteRange) {
    this.#exchange = exchange;
    this.#keys = keys;
    this.#range = range;
    const minutes = Math.max(0, range.end - range.start);
    this.#lengths = new Uint8Array(minutes);
    this.#offsets = new Uint8Array(minutes);
    this.#kinds = new Uint8Array(minutes);
  }

  /** Another of the same, to add slices to. */
  copy(): PackedIndex {
    const copy = new PackedIndex(this.#exchange, this.#keys, this.#range);
    copy.#lengths.set(this.#lengths);
    copy.#offsets.set(this.#offsets);
    copy.#kinds.set(this.#kinds);
    return copy;
  }

  at(minute: Minute): SliceFile | undefined {
    const place = minute - this.#range.start;
    const length = this.#lengths[place] ?? 0;
    if (length === 0) return undefined;
    const start = minute - (this.#offsets[place] as number);
    const kind = this.#kinds[place] as number;
    const encoding = ENCODINGS[kind % 2] as SliceEncoding;
    const range = { start, end: start + length };
    return {
      ...range,
      path: slicePath(this.#exchange, this.#keys[kind >> 1] as string, range, encoding),
      encoding,
    };
  }

  firstOf({ start, end }: MinuteRange): Minute {
    let at = start;
    while (at < end && !this.#lengths[at - this.#range.start]) at++;
    return at;
  }

  add(slice: SliceFile): void {
    const { path, encoding } = slice;
    const key = this.#keys.findIndex((one) => slicePath(this.#exchange, one, slice, encoding) === path);
    // A name that isn't as slices are named, as with a needless size.
    if (key < 0) return;
    const until = Math.min(slice.end, this.#range.end);
    for (let minute = Math.max(slice.start, this.#range.start); minute < until; minute++) {
      const place = minute - this.#range.start;
      const known = this.#lengths[place] as number;
      if (known > 0 && slice.end <= minute - (this.#offsets[place] as number) + known) continue;
      this.#lengths[place] = slice.end - slice.start;
      this.#offsets[place] = minute - slice.start;
      this.#kinds[place] = 2 * key + ENCODINGS.indexOf(encoding);
    }
  }
}

async function listHourSlices(feeds: string, folder: string, hour: Minute): Promise<readonly SliceFile[]> {
  const names = await listNames(join(feeds, folder));
  const slices = await Promise.all(names.map((name) => parseUsableSlice(feeds, folder, hour, name)));
  return slices.filter((slice) => slice !== undefined);
}

/** The slice that a file is, where it is there to be used; a file that nobody will finish is removed. */
async function parseUsableSlice(
  feeds: string,
  folder: string,
  hour: Minute,
  name: string,
): Promise<SliceFile | undefined> {
  const path = join(feeds, folder, name);
  const slice = parseSliceName(folder, hour, name);
  if (!slice && !name.endsWith(UNFINISHED_EXTENSION)) return undefined;
  // Another process may remove it meanwhile.
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
