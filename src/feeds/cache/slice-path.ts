import { join } from 'node:path';
import { formatMinute, type Minute, type MinuteRange } from '../../dataset/minute.js';
import type { SliceEncoding } from '../unpack/unpack-slice.js';

/**
 * Where slices lie: the layout of the vendor's clients (replay facts, section 1), so that a folder of theirs is a cache
 * of ours: `{exchange}/{sha256 of the filters}/{YYYY}/{MM}/{DD}/{HH}/{mm}[.size-{N}].json.{zst or gz}`. A file is an
 * answer's body as it came.
 */
export interface SliceFile extends MinuteRange {
  /** Below the cache's `feeds` folder. */
  readonly path: string;
  readonly encoding: SliceEncoding;
}

/** Minutes of the longest slice that is looked for: the service gives at most 10 (service interface, Limits). */
export const MAX_SLICE_MINUTES = 60;

/** A file that was never finished has this ending, behind the name that it would have had. */
export const UNFINISHED_EXTENSION = '.unconfirmed';

const SLICE_NAME = /^(\d{2})(?:\.size-(\d{1,2}))?\.json\.(gz|zst)$/;

/** The folder of the slices that begin within an hour. @param key of the filters. */
export function hourFolderPath(exchange: string, key: string, minute: Minute): string {
  const [year = '', month = '', day = '', hour = ''] = formatMinute(minute).split(/[-T:]/);
  return join(exchange, key, year, month, day, hour);
}

/** The place of a slice. */
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

/** Which slice a file of an hour's folder is; undefined where its name tells none. */
export function parseSliceName(folder: string, hour: Minute, name: string): SliceFile | undefined {
  const [, minute = '', size = '1', ending = ''] = SLICE_NAME.exec(name) ?? [];
  const length = Number(size);
  if (minute === '' || Number(minute) > 59 || length < 1 || length > MAX_SLICE_MINUTES) return undefined;
  const start = hour + Number(minute);
  const encoding = ending === 'zst' ? 'zstd' : 'gzip';
  return { path: join(folder, name), start, end: start + length, encoding };
}
