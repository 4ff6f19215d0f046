import type { DayFile } from '../dataset/day-file.js';

/** One line of the manifest: a day file that was proven whole. */
export interface ManifestRecord {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** Compressed size. */
  readonly bytes: number;
  /** Hex digits. */
  readonly md5: string;
  readonly sha256: string;
  /** Whether `x-md5` named the same sum; null when none came. */
  readonly md5Match: boolean | null;
  /** Rows, the header not counted. */
  readonly rows: number;
  readonly etag?: string | undefined;
  /** ISO 8601. */
  readonly time: string;
  /** tickhaul's version. */
  readonly version: string;
}
