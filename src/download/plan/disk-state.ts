import { type DayFile, isSameDayFile } from '../../dataset/day-file.js';
import type { FileLookup } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import { findConversionEntry, toEntryOptions } from '../conversion/conversion-entry.js';
import type { ConvertSetting, Existing, PlannedAction, PlannedOutput } from '../download-options.js';

/** State of a path in the destination. */
export interface DiskState {
  readonly status: 'download' | 'skip' | 'resume';
  readonly action: PlannedAction;
  /** The existing file must be downloaded again. */
  readonly replaces?: true;
}

const FETCH: DiskState = { status: 'download', action: 'fetch' };
const REPLACE: DiskState = { status: 'download', action: 'fetch', replaces: true };
const RESUME: DiskState = { status: 'resume', action: 'fetch' };
export const SKIP: DiskState = { status: 'skip', action: 'nothing' };
const CHECK: DiskState = { status: 'skip', action: 'check' };
const ADOPT: DiskState = { status: 'skip', action: 'adopt' };

const DROP: DiskState = { status: 'skip', action: 'drop' };

/** The recorded size and object of a file. */
type RecordedFile = Pick<ManifestRecord, 'path' | 'bytes' | 'object'>;

/** Paths of a day file and its conversions. */
export interface FilePaths {
  readonly path: string;
  readonly outputs: readonly PlannedOutput[];
}

/** Creates a lookup of paths in the manifest and in the destination. */
export function createDiskLookup(
  lookup: FileLookup,
  manifest: Manifest,
  existing: Existing,
  convert: ConvertSetting | undefined,
): (file: DayFile, paths: FilePaths) => DiskState {
  const options = convert && toEntryOptions(convert.options);
  /**
   * Whether a file has the recorded size, and an object also the recorded ETag, which differs if it was
   * replaced.
   */
  const isAsRecorded = ({ path, bytes, object }: RecordedFile): boolean => {
    const stat = lookup.get(path);
    if (stat?.bytes !== bytes) return false;
    return stat.etag === undefined || object === undefined || stat.etag === object.etag;
  };

  /** Whether only the size matches: another run may have written the same bytes as a new object. */
  const hasRecordedSize = ({ path, bytes }: RecordedFile): boolean => lookup.get(path)?.bytes === bytes;

  const isConverted = (ownRecord: ManifestRecord, output: PlannedOutput): boolean => {
    const entry = options && findConversionEntry(ownRecord, output, options);
    return entry !== undefined && isAsRecorded(entry);
  };

  return (file, { path, outputs }) => {
    const record = manifest.get(path);
    // A record of another day file leads to a download, which reports the conflict.
    const ownRecord = record && isSameDayFile(record.file, file) ? record : undefined;
    const isFullyConverted =
      ownRecord !== undefined && outputs.every((output) => isConverted(ownRecord, output));
    // Without outputs, the CSV is kept.
    const isDropped = convert?.keepCsv === false && outputs.length > 0;
    const isComplete = ownRecord !== undefined && isAsRecorded(ownRecord);
    if (!isComplete && !lookup.has(path)) {
      if (isFullyConverted && isDropped && existing !== 'overwrite') {
        return existing === 'verify' ? CHECK : SKIP;
      }
      return lookup.has(`${path}.part`) ? RESUME : FETCH;
    }
    if (existing === 'overwrite') return REPLACE;
    if (!record) return ADOPT;
    if (!ownRecord) return REPLACE;
    if (existing === 'verify') return CHECK;
    if (!isComplete) return hasRecordedSize(ownRecord) ? CHECK : REPLACE;
    if (!isFullyConverted) return CHECK;
    if (isDropped) return DROP;
    // A run was killed before it deleted the file, which is kept now.
    return ownRecord.dropped ? CHECK : SKIP;
  };
}
