import type { FileError } from '../base/file-error.js';
import type { DayFile } from '../dataset/day-file.js';
import type { FileEvent } from '../run/run-events.js';
import type { StoredFileInfo } from '../store/files.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ConversionEntry, ManifestRecord } from '../store/manifest-record.js';
import type { ObjectVersion } from '../store/s3/object-store.js';

/** A day file as it came, or what a conversion made of one. */
export type CheckedFileKind = 'day' | 'parquet' | 'ndjson';

/** One file to check, and what it should be. */
export interface FileCheck {
  readonly kind: CheckedFileKind;
  /** Relative to the destination, with `/`. */
  readonly path: string;
  readonly file: DayFile | undefined;
  /** What the manifest says of these bytes; undefined where it knows nothing of them. */
  readonly expected: ExpectedFile | undefined;
  /** Of the day file; of a conversion, its source's. */
  readonly record: ManifestRecord | undefined;
  /** Of a recorded conversion: whether it is of another version than this build makes. */
  readonly isOutdated?: boolean | undefined;
}

export interface ExpectedFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
  /** How it came to stand in an object store. */
  readonly object?: ObjectVersion | undefined;
}

/** What a thread is asked to look at. */
export interface CheckRequest {
  readonly kind: CheckedFileKind;
  /** Where it lies: an absolute path, or `s3://bucket/key`. */
  readonly location: string;
  /** A file of another size isn't read. */
  readonly bytes: number | undefined;
  /** Whether the checksum of a conversion's bytes is wanted: a day file's always comes along. */
  readonly hash: boolean;
  /** Of a day file that nobody recorded, its data type: that it begins as one is checked too. */
  readonly dataType?: string | undefined;
  /** What a listing told of it, so that nobody has to ask again. */
  readonly listed?: StoredFileInfo | undefined;
}

/** What a thread saw of a whole file. */
export interface FileObservation {
  readonly bytes: number;
  readonly rows: number;
  /** Of a day file, and of a conversion where it was wanted. */
  readonly sha256?: string | undefined;
  readonly md5?: string | undefined;
  /** Of an object, the ETag that it had. */
  readonly etag?: string | undefined;
  /** Of a Parquet file, what its footer tells of its making. */
  readonly keyValues?: Readonly<Record<string, string>> | undefined;
}

/** What was seen where the file was read, and what is wrong: `missing`, `createCorruptError`, or why it can't be read. */
export interface CheckResult {
  readonly observation?: FileObservation | undefined;
  readonly error?: FileError | undefined;
}

/** A file that is to be brought or made again, and why. */
export interface BadFile {
  /** Of the day file; of a conversion, its source's. */
  readonly record: ManifestRecord;
  /** Where a conversion is bad and not the day file. */
  readonly conversion: ConversionEntry | undefined;
  /** The event that tells of it, where it can't be helped. */
  readonly event: FileEvent;
}

/** Brings bad files again and tells of each what became of it; the old ones stay till the new ones are whole. */
export type RepairFiles = (
  bad: readonly BadFile[],
  manifest: Manifest,
  tell: (event: FileEvent) => void,
  signal: AbortSignal,
) => Promise<void>;
