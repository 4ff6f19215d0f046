import { VERSION } from '../base/packages.js';
import type { DayFile } from '../day-files/day-file.js';
import type { FileChecksums } from '../gzip/verify-file.js';
import type { StoredFileInfo, StoredVersion } from './files.js';

/** One line of the manifest (docs/spec/manifest.md#manifest-file): a verified day file. */
export interface ManifestRecord {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** Compressed size. */
  readonly bytes: number;
  /** Hex digits. */
  readonly md5: string;
  readonly sha256: string;
  /** Whether the `x-md5` header had the same checksum; null if there was none. */
  readonly md5Match: boolean | null;
  /** Rows, without the header. */
  readonly rows: number;
  /**
   * The first digits of `sha256` if the start of the text was checked, which releases before this field did not. It
   * repeats them so that it never applies to other bytes.
   */
  readonly checked?: string | undefined;
  readonly etag?: string | undefined;
  /** ISO 8601. */
  readonly time: string;
  /** tickhaul's version. */
  readonly version: string;
  /** Conversions of exactly these bytes, each with its own path. */
  readonly conversions?: readonly ConversionEntry[] | undefined;
  /** Version of the object, in an object store. */
  readonly object?: StoredVersion | undefined;
  /**
   * Set if the CSV was deleted on purpose and so does not count as missing. If the record has no conversions either,
   * its path is removed from the manifest.
   */
  readonly dropped?: true | undefined;
}

const CHECKED_DIGITS = 8;

/** Marks the bytes with a checksum as a file whose start was checked. */
export function markChecked(sha256: string): Required<Pick<ManifestRecord, 'checked'>> {
  return { checked: sha256.slice(0, CHECKED_DIGITS) };
}

/** Whether the start of the recorded bytes was checked. */
export function isChecked({ checked, sha256 }: Pick<ManifestRecord, 'checked' | 'sha256'>): boolean {
  return checked?.length === CHECKED_DIGITS && sha256.startsWith(checked);
}

/**
 * How a stored file differs from its record; undefined if it is as recorded. A file on a disk, and a record from one, have
 * no ETag to compare.
 */
export function findDifference(
  { bytes, object }: { readonly bytes: number; readonly object?: StoredVersion | undefined },
  stored: StoredFileInfo | undefined,
): 'missing' | 'size' | 'etag' | undefined {
  if (!stored) return 'missing';
  if (stored.bytes !== bytes) return 'size';
  const hasEtags = stored.etag !== undefined && object !== undefined;
  return hasEtags && stored.etag !== object.etag ? 'etag' : undefined;
}

/** A complete conversion of a day file: its rows in another format, or a computed type. */
export interface ConversionEntry {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
  readonly rows: number;
  /** Name of the computed type; undefined for the day file's rows. */
  readonly computed?: string | undefined;
  /** Options of the conversion, with the names of `ConvertOptions`: `format`, `compression` and so on. */
  readonly options: Readonly<Record<string, string | number>>;
  /**
   * Version of its columns, rules and writer (`convert/provenance.ts`); undefined for the first version.
   */
  readonly version?: string | undefined;
  /** Version of the object, in an object store. */
  readonly object?: StoredVersion | undefined;
}

/**
 * Creates the record of an existing file that was verified.
 * @param object its version, in an object store.
 */
export function createVerifiedRecord(
  file: DayFile,
  path: string,
  checksums: FileChecksums,
  object?: StoredVersion,
): ManifestRecord {
  const { bytes, md5, sha256, rows } = checksums;
  return {
    file,
    path,
    bytes,
    md5,
    sha256,
    md5Match: null,
    rows,
    ...markChecked(sha256),
    time: new Date().toISOString(),
    version: VERSION,
    ...(object && { object }),
  };
}
