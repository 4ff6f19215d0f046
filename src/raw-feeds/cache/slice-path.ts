import { join } from 'node:path';
import { formatMinute, type Minute, type MinuteRange } from '../../day-files/minute.js';
import type { SliceEncoding } from '../unpack/unpack-slice.js';

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
export const MAX_SLICE_MINUTES = 60;

/** Ending of an unfinished file, after its future name. */
export const UNFINISHED_EXTENSION = '.unconfirmed';

const SLICE_NAME = /^(\d{2})(?:\.size-(\d{1,2}))?\.json\.(gz|zst)$/;

/** The folder of slices that begin within an hour. @param key cache key of the filters. */
export function hourFolderPath(exchange: string, key: string, minute: Minute): string {
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
