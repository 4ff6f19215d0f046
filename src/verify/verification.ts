import { type TickhaulError, usageError } from '../base/errors.js';
import { type DayFile, parseDayFileName } from '../day-files/day-file.js';
import { type DayFileSelection, openDayFileFilter } from '../day-files/series-filter.js';
import type { EventSink } from '../events/run-events.js';
import { ExportLog } from '../export/export-log.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestRecord } from '../store/manifest-record.js';
import { NOTHING_KNOWN } from '../store/open-destination.js';
import { isInside } from '../store/paths.js';
import { isStrayName } from '../store/stray-files.js';
import {
  createExportChecks,
  createOutputChecks,
  createRecordedChecks,
  createUnknownFileChecks,
  createVerifyScope,
  type FileCheck,
  type InspectFiles,
  type RepairFiles,
  type VerifyScope,
} from './file-checks.js';
import {
  type FolderContents,
  listFolderContents,
  readRecordedFiles,
  type SeriesDayIndex,
} from './folder-contents.js';

/** Input of a check of a download folder. */
export interface VerifyInput {
  /** The download folder. */
  readonly destination: Destination;
  /** Paths to check, relative to the download folder, with `/`; empty for all. */
  readonly paths: readonly string[];
  /** The paths as the user typed them, for messages. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Day files to check; undefined for all, including files that no name or record identifies. */
  readonly selection?: DayFileSelection | undefined;
  /** Checks existence and size only, and the ETag of objects; otherwise each file is read completely. */
  readonly quick: boolean;
  /** Number of threads. */
  readonly jobs: number;
  /** Inspects the files of a destination that threads cannot read; undefined for all others. */
  readonly inspect?: InspectFiles | undefined;
  /** Records valid files that the manifest lacks. */
  readonly adopt: boolean;
  /** Removes temporary files left by earlier runs. */
  readonly clean: boolean;
  /** Missing days of a series make the run fail with code 7. */
  readonly strict: boolean;
  /** Removes missing files from the manifest. Other bad files are only reported. */
  readonly forget: boolean;
  /** Repairs bad files and reports the results; undefined if bad files are only reported. */
  readonly repair?: RepairFiles | undefined;
  readonly owner: LockOwner;
  /** Milliseconds to wait for another run if this run writes to the folder; no wait by default. */
  readonly lockTimeoutMs?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** One check of a folder: its contents, and the files to check. */
export interface Verification {
  readonly input: VerifyInput;
  readonly manifest: Manifest;
  readonly exportLog: ExportLog;
  readonly scope: VerifyScope;
  readonly contents: FolderContents;
  /** Unrecorded files whose names identify a day file, by path. */
  readonly identified: ReadonlyMap<string, DayFile>;
  /** Number of files to check. */
  readonly files: number;
  readonly days: SeriesDayIndex;
  /** Generated on each call, since there may be a million. */
  checks(): Iterable<FileCheck>;
}

/** Lists the folder and plans its checks. @throws TickhaulError `usage` for a path that does not exist; `disk`. */
export async function openVerification(input: VerifyInput, manifest: Manifest): Promise<Verification> {
  const { destination, adopt, quick, signal } = input;
  const { selection = {} } = input;
  const filter = await openDayFileFilter(selection, () => listFiles(manifest.records()));
  const scope = createVerifyScope(input.paths, filter, filter.isSelective || selection.shard !== undefined);
  const exportLog = await ExportLog.open(destination, signal);
  const exports = createExportChecks(exportLog, scope);
  const recorded = readRecordedFiles(manifest, scope, exports);
  const listing = await listFolderContents(destination, scope, manifest, recorded, input.names, signal);
  if (manifest.size === 0 && listing.listed?.size === 0) throw createEmptyStoreError(destination);
  const contents = { ...listing, unknown: await dropRecorded(manifest, listing.unknown, signal) };
  if (listing.passedOver !== undefined) input.emit({ event: 'warning', message: listing.passedOver });
  scope.assertMatched();
  if (scope.isWhole && recorded.files === 0 && isNothingFound(contents))
    await assertRecords(destination, signal);
  const identified = new Map(
    contents.unknown.flatMap((path) => {
      // The manifest would ignore a record with a path outside the folder.
      const file = isInside(path) && !isStrayName(path) ? parseDayFileName(path) : undefined;
      return file ? [[path, file] as const] : [];
    }),
  );
  function* checks(): Generator<FileCheck> {
    yield* createRecordedChecks(manifest, scope);
    yield* exports;
    // An unrecorded file has no expected size to compare.
    if (!quick) yield* createOutputChecks(contents.outputs);
    if (adopt) yield* createUnknownFileChecks(identified);
  }
  const unrecorded = (quick ? 0 : contents.outputs.length) + (adopt ? identified.size : 0);
  const files = recorded.files + unrecorded;
  return {
    input,
    manifest,
    exportLog,
    scope,
    contents,
    identified,
    files,
    days: recorded.days,
    checks,
  };
}

/** The day files of records. */
function* listFiles(records: Iterable<ManifestRecord>): Generator<DayFile> {
  for (const { file } of records) yield file;
}

/** Removes files that another run has recorded since the manifest was read. */
async function dropRecorded(
  manifest: Manifest,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const current = await manifest.reread(undefined, signal);
  return paths.filter((path) => !current.has(path));
}

function isNothingFound({ unknown, outputs, parts, undecoded }: FolderContents): boolean {
  return [unknown, outputs, parts, undecoded].every(({ length }) => length === 0);
}

/** @throws usage error for a folder without a manifest. */
async function assertRecords(destination: Destination, signal: AbortSignal): Promise<void> {
  if (await destination.files.hasRecords(destination.locate(''), signal)) return;
  throw usageError(`${destination.name}: ${NOTHING_KNOWN}`);
}

/** A store has no folders, so a prefix without objects is probably a typo. */
function createEmptyStoreError({ name }: Destination): TickhaulError {
  return usageError(
    `${name}: no objects found; set --dir to a download's bucket and prefix; to check only part of it, pass a path below that`,
  );
}
