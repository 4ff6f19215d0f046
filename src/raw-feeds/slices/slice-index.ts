import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { Semaphore } from '../../base/semaphore.js';
import { formatMinute, type Minute, type MinuteRange, MS_PER_MINUTE } from '../../day-files/day.js';
import type { SliceEncoding } from './unpack-slice.js';

/**
 * A file with the unchanged body of a response. Its path is that of the vendor's clients
 * (docs/spec/raw-feeds-api.md#slice-cache), so that their cache folders can be used: `{exchange}/{sha256 of
 * the filters}/{YYYY}/{MM}/{DD}/{HH}/{mm}[.size-{N}].json.{zst or gz}`.
 */
export interface SliceFile extends MinuteRange {
  /** Relative to the cache's `feeds` folder. */
  readonly path: string;
  readonly encoding: SliceEncoding;
}

/**
 * Longest slice to look for, in minutes; the service itself gives at most 10
 * (docs/spec/raw-feeds-api.md#slice-request).
 */
const MAX_SLICE_MINUTES = 60;

/** Ending of an unfinished file, after its future name. */
export const UNFINISHED_EXTENSION = '.unconfirmed';

const SLICE_NAME = /^(\d{2})(?:\.size-(\d{1,2}))?\.json\.(gz|zst)$/;

/** The folder of slices that begin within an hour. @param key cache key of the filters. */
function hourFolderPath(exchange: string, key: string, minute: Minute): string {
  const [year = '', month = '', day = '', hour = ''] = formatMinute(minute).split(/[-T:]/);
  return join(exchange, key, year, month, day, hour);
}

/** The path of a slice below `feeds`. */
export function slicePath(
  exchange: string,
  key: string,
  { start, end }: MinuteRange,
  encoding: SliceEncoding,
): string {
  const minutes = String(start % 60).padStart(2, '0');
  const size = end - start === 1 ? '' : `.size-${end - start}`;
  const ending = encoding === 'zstd' ? 'zst' : 'gz';
  return join(hourFolderPath(exchange, key, start), `${minutes}${size}.json.${ending}`);
}

/** Parses the name of a file in an hour's folder; undefined if it is not that of a slice. */
export function parseSliceName(folder: string, hour: Minute, name: string): SliceFile | undefined {
  const [, minute = '', size = '1', ending = ''] = SLICE_NAME.exec(name) ?? [];
  const length = Number(size);
  if (minute === '' || Number(minute) > 59 || length < 1 || length > MAX_SLICE_MINUTES) return undefined;
  const start = hour + Number(minute);
  const encoding = ending === 'zst' ? 'zstd' : 'gzip';
  return { path: join(folder, name), start, end: start + length, encoding };
}

/** A slice requested this long after its last minute is complete. */
const COMPLETE_AFTER_MS = 30 * MS_PER_MINUTE;

/** An unfinished file of this age is abandoned. */
const ABANDONED_MS = 3_600_000;

/** Limits parallel lookups: each holds the names of an hour in memory and checks all of them at once. */
const lookups = new Semaphore(4);
/** Lookups that have not started, for reuse by equal requests. */
const waitingLookups = new Map<string, Promise<PackedIndex>>();
const ENCODINGS: readonly SliceEncoding[] = ['gzip', 'zstd'];

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
  const name = JSON.stringify([feeds, exchange, keys, range.start, range.end]);
  const known = waitingLookups.get(name);
  const lookup =
    known ??
    lookups.run(() => {
      waitingLookups.delete(name);
      return lookUp(feeds, exchange, keys, range);
    });
  if (!known) waitingLookups.set(name, lookup);
  return (await lookup).copy();
}

async function lookUp(
  feeds: string,
  exchange: string,
  keys: readonly string[],
  range: MinuteRange,
): Promise<PackedIndex> {
  const index = new PackedIndex(exchange, keys, range);
  const from = formatMinute(range.start - MAX_SLICE_MINUTES);
  const to = formatMinute(range.end);
  for (const key of keys) {
    for await (const hour of listHours(join(feeds, exchange, key), from, to)) {
      for (const slice of await listHourSlices(feeds, hourFolderPath(exchange, key, hour), hour))
        index.add(slice);
    }
  }
  return index;
}

/** What the folders of each level stand for: `2024`, `2024-03`, `2024-03-01`, `2024-03-01T05`. */
const FOLDER_LEVELS = [
  { separator: '', length: 4 },
  { separator: '-', length: 7 },
  { separator: '-', length: 10 },
  { separator: 'T', length: 13 },
] as const;

/** The hours that have a folder, between two minutes as `formatMinute` writes them; the period may be of any length. */
async function* listHours(
  folder: string,
  from: string,
  to: string,
  time = '',
  level = 0,
): AsyncGenerator<Minute> {
  const { separator, length } = FOLDER_LEVELS[level] as (typeof FOLDER_LEVELS)[number];
  for (const name of (await listNames(folder)).toSorted()) {
    const inner = `${time}${separator}${name}`;
    const isTime = inner.length === length && /^\d+$/.test(name);
    if (!isTime || inner < from.slice(0, length) || inner > to.slice(0, length)) continue;
    if (level + 1 < FOLDER_LEVELS.length) yield* listHours(join(folder, name), from, to, inner, level + 1);
    else yield Date.parse(`${inner}:00Z`) / MS_PER_MINUTE;
  }
}

const HOUR = 60;

/** An index of three bytes per minute of the hours on disk: a server has one for each client, possibly of years. */
class PackedIndex implements SliceIndex {
  readonly #exchange: string;
  readonly #keys: readonly string[];
  readonly #range: MinuteRange;
  /**
   * For each hour with slices, three lists of a number for each minute: the length of its slice in minutes, 0 for no
   * slice; its distance from the start of its slice; twice the index of its slice's key, plus the index of its encoding.
   */
  readonly #hours = new Map<number, Uint8Array>();

  constructor(exchange: string, keys: readonly string[], range: MinuteRange) {
    this.#exchange = exchange;
    this.#keys = keys;
    this.#range = range;
  }

  /** Copies the index, so that slices can be added to the copy. */
  copy(): PackedIndex {
    const copy = new PackedIndex(this.#exchange, this.#keys, this.#range);
    for (const [hour, numbers] of this.#hours) copy.#hours.set(hour, numbers.slice());
    return copy;
  }

  find(minute: Minute): SliceFile | undefined {
    const [numbers, place] = this.#locate(minute);
    const length = numbers?.[place] ?? 0;
    if (!numbers || length === 0) return undefined;
    const start = minute - (numbers[HOUR + place] as number);
    const kind = numbers[2 * HOUR + place] as number;
    const encoding = ENCODINGS[kind % 2] as SliceEncoding;
    const range = { start, end: start + length };
    return {
      ...range,
      path: slicePath(this.#exchange, this.#keys[kind >> 1] as string, range, encoding),
      encoding,
    };
  }

  findFirst({ start, end }: MinuteRange): Minute {
    for (let at = start; at < end; ) {
      const [numbers, place] = this.#locate(at);
      if (numbers?.[place]) return at;
      at += numbers ? 1 : HOUR - place;
    }
    return end;
  }

  add(slice: SliceFile): void {
    const { path, encoding } = slice;
    const key = this.#keys.findIndex((one) => slicePath(this.#exchange, one, slice, encoding) === path);
    // The path is not canonical, for example because its name has an unnecessary size.
    if (key < 0) return;
    const until = Math.min(slice.end, this.#range.end);
    for (let minute = Math.max(slice.start, this.#range.start); minute < until; minute++) {
      const [known, place] = this.#locate(minute);
      const numbers = known ?? new Uint8Array(3 * HOUR);
      if (!known) this.#hours.set(Math.floor(minute / HOUR), numbers);
      const length = numbers[place] as number;
      if (length > 0 && slice.end <= minute - (numbers[HOUR + place] as number) + length) continue;
      numbers[place] = slice.end - slice.start;
      numbers[HOUR + place] = minute - slice.start;
      numbers[2 * HOUR + place] = 2 * key + ENCODINGS.indexOf(encoding);
    }
  }

  /** The numbers of a minute's hour, and the place of the minute in their lists. */
  #locate(minute: Minute): readonly [numbers: Uint8Array | undefined, place: number] {
    const hour = Math.floor(minute / HOUR);
    return [this.#hours.get(hour), minute - hour * HOUR];
  }
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
