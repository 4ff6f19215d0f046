import type { FileError } from '../base/errors.js';
import type { OutputFormatName } from '../base/output-format-names.js';
import type { DayFile } from '../dataset/day-file.js';
import type { FileEvent } from '../run/run-events.js';
import type { StoredFileInfo, StoredVersion } from '../store/files.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ConversionEntry, ManifestRecord } from '../store/manifest-record.js';

/** A downloaded day file, an output of an export, or the format of a conversion's output. */
export type CheckedFileKind = 'day' | 'export' | OutputFormatName;

/** One file to check, with its expected properties. */
export interface FileCheck {
  readonly kind: CheckedFileKind;
  /** Relative to the destination, with `/`. */
  readonly path: string;
  readonly file: DayFile | undefined;
  /** The recorded properties of the file; undefined if it is not recorded. */
  readonly expected: ExpectedFile | undefined;
  /** Record of the day file, or of the day file from which the output was converted. */
  readonly record: ManifestRecord | undefined;
  /** Name of the first source of an export, and its target. */
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  /** Whether a recorded conversion has another version than this build writes. */
  readonly isOutdated?: boolean | undefined;
}

export interface ExpectedFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
  /** The object's recorded version, if it was written to an object store. */
  readonly object?: StoredVersion | undefined;
}

/** A request to a thread to check one file. */
export interface CheckRequest {
  readonly kind: CheckedFileKind;
  /** An absolute path, or `s3://bucket/key`. */
  readonly location: string;
  /** Expected size. A file of another size is not read. */
  readonly bytes: number | undefined;
  /** Whether to hash a conversion's output. A day file is always hashed. */
  readonly hash: boolean;
  /** Which day file it is; undefined for other files. */
  readonly file: DayFile | undefined;
  /** Entry of the store's listing, which saves a request. */
  readonly listed?: StoredFileInfo | undefined;
  /** How a large day file is inflated, as in `GzipReadOptions`. */
  readonly inflateThreads?: number | undefined;
}

/** Properties of a file that was read completely. */
export interface FileObservation {
  readonly bytes: number;
  /** Undefined for an output of an export, whose format is not read. */
  readonly rows?: number | undefined;
  /** Set for a day file, and for a conversion's output if requested. */
  readonly sha256?: string | undefined;
  readonly md5?: string | undefined;
  /** Why the text of a complete day file does not begin like the day file that it should be. */
  readonly startError?: FileError | undefined;
  /** ETag of an object at the time of the check. */
  readonly etag?: string | undefined;
  /** Metadata of a conversion's output, which holds the provenance. */
  readonly keyValues?: Readonly<Record<string, string>> | undefined;
}
/** The file's properties if it was read, and the error if it is missing, corrupt or unreadable. */
export interface CheckResult {
  readonly observation?: FileObservation | undefined;
  readonly error?: FileError | undefined;
}

/** A file to download or convert again, and its error. */
export interface BadFile {
  /** Record of the day file, or of the day file from which the output was converted. */
  readonly record: ManifestRecord;
  /** Set if the bad file is this conversion and not the day file. */
  readonly conversion: ConversionEntry | undefined;
  /** Event to emit if the file cannot be repaired. */
  readonly event: FileEvent;
}
/** Repairs bad files and emits the result of each. Old files stay in place until the new ones are complete. */
export type RepairFiles = (
  bad: readonly BadFile[],
  manifest: Manifest,
  emit: (event: FileEvent) => void,
  signal: AbortSignal,
) => Promise<void>;
