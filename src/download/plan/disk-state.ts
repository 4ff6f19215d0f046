import type { Day } from '../../day-files/day.js';
import { type DayFile, isSameDayFile } from '../../day-files/day-file.js';
import { describeOlderKeys, type Layout, olderLayoutOf } from '../../day-files/layout.js';
import type { Destination, FileLookup } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { findDifference, isChecked, type ManifestRecord } from '../../store/manifest-record.js';
import { findConversionEntry, toEntryOptions } from '../conversion/conversion-entry.js';
import type { ConvertSetting, Existing, PlannedAction, PlannedOutput } from '../download-options.js';
import type { PlanOutputs } from './planned-paths.js';

/** State of a path in the destination. */
export interface DiskState {
  readonly status: 'download' | 'skip' | 'resume';
  readonly action: PlannedAction;
  /** The existing file must be downloaded again. */
  readonly replaces?: true;
  /** The file is complete, but its start was never checked. */
  readonly isUnchecked?: true;
  /** The file has no rows: it is requested again only if it can be. */
  readonly isEmpty?: true;
  /** The file is requested again if reading it shows that it has no rows. */
  readonly replacesEmpty?: true;
}

const FETCH: DiskState = { status: 'download', action: 'fetch' };
const REPLACE: DiskState = { status: 'download', action: 'fetch', replaces: true };
const RESUME: DiskState = { status: 'resume', action: 'fetch' };
export const SKIP: DiskState = { status: 'skip', action: 'nothing' };
const SKIP_UNCHECKED: DiskState = { ...SKIP, isUnchecked: true };
const EMPTY: DiskState = { ...REPLACE, isEmpty: true };
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

/**
 * Creates a lookup of paths in the manifest and in the destination.
 * @param repeatsEmpty whether a day without rows is requested again; with `verify` each is.
 */
export function createDiskLookup(
  lookup: FileLookup,
  manifest: Manifest,
  existing: Existing,
  convert: ConvertSetting | undefined,
  repeatsEmpty: (day: Day) => boolean = () => false,
): (file: DayFile, paths: FilePaths) => DiskState {
  const options = convert && toEntryOptions(convert.options);
  const difference = (recorded: RecordedFile) => findDifference(recorded, lookup.get(recorded.path));
  const isAsRecorded = (recorded: RecordedFile): boolean => difference(recorded) === undefined;

  const isConverted = (ownRecord: ManifestRecord, output: PlannedOutput): boolean => {
    const entry = options && findConversionEntry(ownRecord, output, options);
    return entry !== undefined && isAsRecorded(entry);
  };

  const findState = (file: DayFile, { path, outputs }: FilePaths): DiskState => {
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
    // Another run may have written the same bytes as a new object.
    if (!isComplete) return difference(ownRecord) === 'etag' ? CHECK : REPLACE;
    if (!isFullyConverted) return CHECK;
    if (isDropped) return DROP;
    // A run was killed before it deleted the file, which is kept now.
    if (ownRecord.dropped) return CHECK;
    return isChecked(ownRecord) ? SKIP : SKIP_UNCHECKED;
  };

  return (file, paths) => {
    const state = findState(file, paths);
    if (state.status !== 'skip') return state;
    if (existing === 'verify') return { ...state, replacesEmpty: true };
    if (!repeatsEmpty(file.day)) return state;
    const record = manifest.get(paths.path);
    return record?.rows === 0 && isSameDayFile(record.file, file) ? EMPTY : state;
  };
}

/** Paths of a day file that the manifest records under the older keys of `hive`; undefined if it does not. */
export type FindOlderPaths = (file: DayFile, paths: FilePaths) => FilePaths | undefined;

/**
 * Finds the files that earlier versions wrote under the older keys of the layout `hive`, so that they are not downloaded
 * again. A conversion that is not recorded there gets its path under the present keys.
 */
export function createOlderPathFinder(
  manifest: Pick<Manifest, 'has' | 'get' | 'size'>,
  layout: Layout,
  planOutputs: PlanOutputs,
): FindOlderPaths {
  const older = olderLayoutOf(layout);
  if (!older || manifest.size === 0) return () => undefined;
  return (file, { path, outputs }) => {
    if (manifest.has(path)) return undefined;
    const olderPath = older.pathOf(file, 'csv.gz');
    if (!manifest.has(olderPath)) return undefined;
    const recorded = new Set(manifest.get(olderPath)?.conversions?.map((entry) => entry.path));
    const olderOutputs = planOutputs(file, older.pathOf);
    return {
      path: olderPath,
      outputs: outputs.map((output, i) => {
        const olderOutput = olderOutputs[i];
        return olderOutput && recorded.has(olderOutput.path) ? olderOutput : output;
      }),
    };
  };
}

/** Whether the manifest records any of the files by this layout. */
export function isAnyRecorded(
  manifest: Pick<Manifest, 'has' | 'size'>,
  layout: Layout,
  files: Iterable<DayFile>,
): boolean {
  if (manifest.size === 0) return false;
  for (const file of files) if (manifest.has(layout.pathOf(file, 'csv.gz'))) return true;
  return false;
}

/** Paths of a day file, and its state there. */
export type PlacedState = FilePaths & { readonly state: DiskState };

/**
 * Looks a day file up under the older keys, if it is recorded there, else at its paths. What is recorded under the older
 * keys and gone is downloaded to the present ones.
 */
export function lookUpPaths(
  file: DayFile,
  paths: FilePaths,
  older: FilePaths | undefined,
  lookUp: (file: DayFile, paths: FilePaths) => DiskState,
  onOlder: () => void,
): PlacedState {
  if (older) {
    const state = lookUp(file, older);
    if (state.status === 'skip' || state.replaces) {
      onOlder();
      return { path: older.path, outputs: older.outputs, state };
    }
  }
  return { path: paths.path, outputs: paths.outputs, state: lookUp(file, paths) };
}

/** Destinations of which the user knows that files are under the older keys. */
const reported = new WeakSet<object>();

/** Warns of files under the older keys, once for each opened destination, however many plans it has. */
export function reportOlderKeys({ destination, warn }: Reporting): void {
  if (!warn || reported.has(destination)) return;
  reported.add(destination);
  warn(describeOlderKeys(destination.name ?? ''));
}

interface Reporting {
  readonly destination: Partial<Pick<Destination, 'name'>>;
  readonly warn?: ((message: string) => void) | undefined;
}
