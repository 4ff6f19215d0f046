import type { DayFile } from '../dataset/day-file.js';
import type { StoredAs } from './s3/object-store.js';

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
  /** What was made of exactly these bytes, each under another path. */
  readonly conversions?: readonly ConversionEntry[] | undefined;
  /** How it stands in an object store. */
  readonly object?: StoredAs | undefined;
  /** Set where the CSV was deleted on purpose: it isn't missing. Without conversions, the day file is forgotten. */
  readonly dropped?: true | undefined;
}

/** What was made of a day file, whole: its rows in another format, or a computed type. */
export interface ConversionEntry {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
  readonly rows: number;
  /** The name of the computed type that it holds; undefined for the day file's rows. */
  readonly computed?: string | undefined;
  /** How it was made, by the names of `ConvertOptions`: `format`, `compression` and so on. */
  readonly options: Readonly<Record<string, string | number>>;
  /** Version of its columns, rules and writer (`convert/output/versions.ts`); undefined for the first one. */
  readonly version?: string | undefined;
  /** How it stands in an object store. */
  readonly object?: StoredAs | undefined;
}
