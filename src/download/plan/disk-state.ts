import { type DayFile, isSameDayFile } from '../../dataset/day-file.js';
import type { FileLookup } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import { findConversionEntry, toEntryOptions } from '../conversion/conversion-entry.js';
import type { ConvertSetting, Existing, PlannedAction, PlannedOutput } from '../download-options.js';

/** What stands on disk for one path, as a plan wants to know it. */
export interface DiskState {
  readonly status: 'download' | 'skip' | 'resume';
  readonly action: PlannedAction;
  /** Something stands there that is to be fetched again. */
  readonly replaces?: true;
}

const FETCH: DiskState = { status: 'download', action: 'fetch' };
const REPLACE: DiskState = { status: 'download', action: 'fetch', replaces: true };
const RESUME: DiskState = { status: 'resume', action: 'fetch' };
export const SKIP: DiskState = { status: 'skip', action: 'nothing' };
const CHECK: DiskState = { status: 'skip', action: 'check' };
const ADOPT: DiskState = { status: 'skip', action: 'adopt' };

const DROP: DiskState = { status: 'skip', action: 'drop' };

/** What a record says of a file. */
type RecordedFile = Pick<ManifestRecord, 'path' | 'bytes' | 'object'>;

/** The paths that one day file has: its own, and those of what is made of it. */
interface FilePaths {
  readonly path: string;
  readonly outputs: readonly PlannedOutput[];
}

/** Looks paths up: in the manifest, and in what stands in the destination. */
export function createDiskLookup(
  survey: FileLookup,
  manifest: Manifest,
  existing: Existing,
  convert: ConvertSetting | undefined,
): (file: DayFile, paths: FilePaths) => DiskState {
  const options = convert && toEntryOptions(convert.options);
  /** Whether it is what was recorded, as far as its size tells; of an object, its ETag, which is another one's if not. */
  const isAsRecorded = ({ path, bytes, object }: RecordedFile): boolean => {
    const facts = survey.get(path);
    if (facts?.bytes !== bytes) return false;
    return facts.etag === undefined || object === undefined || facts.etag === object.etag;
  };

  /** Of its size, but another object: the same bytes perhaps, as another run brought them. */
  const isOfItsSize = ({ path, bytes }: RecordedFile): boolean => survey.get(path)?.bytes === bytes;

  const stands = (own: ManifestRecord, output: PlannedOutput): boolean => {
    const entry = options && findConversionEntry(own, output, options);
    return entry !== undefined && isAsRecorded(entry);
  };

  return (file, { path, outputs }) => {
    const record = manifest.get(path);
    // Another day file's name is fetched: the run will say so.
    const own = record && isSameDayFile(record.file, file) ? record : undefined;
    const areMade = own !== undefined && outputs.every((output) => stands(own, output));
    // A file that nothing is made of is as without a conversion.
    const isDropped = convert?.keepCsv === false && outputs.length > 0;
    const isWhole = own !== undefined && isAsRecorded(own);
    if (!isWhole && !survey.has(path)) {
      if (areMade && isDropped && existing !== 'overwrite') {
        return existing === 'verify' ? CHECK : SKIP;
      }
      return survey.has(`${path}.part`) ? RESUME : FETCH;
    }
    if (existing === 'overwrite') return REPLACE;
    if (!record) return ADOPT;
    if (!own) return REPLACE;
    if (existing === 'verify') return CHECK;
    if (!isWhole) return isOfItsSize(own) ? CHECK : REPLACE;
    if (!areMade) return CHECK;
    if (isDropped) return DROP;
    // A run that was killed before it could delete the file: it is wanted now.
    return own.dropped ? CHECK : SKIP;
  };
}
