import { type FileError, usageError } from '../base/errors.js';
import { findOutputFormat, type OutputFormatName } from '../base/output-format-names.js';
import type { RunTask } from '../base/thread-pool.js';
import { isOutdated } from '../convert/provenance.js';
import { DATA_TYPES } from '../day-files/data-types.js';
import { isGlob } from '../day-files/dataset-symbol.js';
import type { Day } from '../day-files/day.js';
import { type DayFile, parseDayFileName } from '../day-files/day-file.js';
import type { DayFileFilter, DayFileSelection } from '../day-files/series-filter.js';
import type { FileEvent } from '../events/run-events.js';
import type { ExportLog } from '../export/export-log.js';
import type { StoredFileInfo, StoredVersion } from '../store/files.js';
import type { Manifest, ManifestScope } from '../store/manifest/manifest.js';
import type { ConversionEntry, ManifestRecord } from '../store/manifest-record.js';
import { isInside } from '../store/paths.js';

/** The part of a download folder to check. */
export interface VerifyScope {
  /** Folders and files to list, relative to the download folder, with `/`; `''` is the whole folder. */
  readonly roots: readonly string[];
  readonly isWhole: boolean;
  /** The root that contains a path; undefined for a path outside the scope. */
  findRoot(path: string): string | undefined;
  /** Whether the scope includes files of this day file; undefined for a file that nothing identifies. */
  includes(file: DayFile | undefined): boolean;
  /** Whether a day is selected, in any shard. */
  hasDay(exchange: string, day: Day): boolean;
  /** As `DayFileFilter.assertMatched`, for the files passed to `includes`. */
  assertMatched(): void;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty path, for the whole folder.
 * @param isPartial whether the filter leaves out any file of the folder.
 * @throws usage error for a path outside the folder.
 */
export function createVerifyScope(
  paths: readonly string[],
  filter: DayFileFilter,
  isPartial: boolean,
): VerifyScope {
  return {
    ...parseRoots(paths, isPartial),
    includes: filter.matches,
    hasDay: (exchange, day) => filter.daysOf(exchange).has(day),
    assertMatched: filter.assertMatched,
  };
}

/**
 * The records that a check of a selection needs: those of whole series, since gaps are reported. A glob or an unknown
 * data type may match other names, so it does not restrict the scope.
 */
export function selectionToManifestScope({
  exchanges,
  dataTypes,
}: Pick<DayFileSelection, 'exchanges' | 'dataTypes'> = {}): ManifestScope {
  return {
    exchanges: resolveNames(exchanges, (name) => (isGlob(name) ? undefined : name.toLowerCase())),
    dataTypes: resolveNames(dataTypes, (name) =>
      DATA_TYPES.find((known) => known.toLowerCase() === name.toLowerCase()),
    ),
  };
}

function resolveNames(
  requested: readonly string[] | undefined,
  resolveName: (text: string) => string | undefined,
): readonly string[] | undefined {
  if (requested === undefined || requested.includes('all')) return undefined;
  const names = requested.map(resolveName);
  return names.every((name) => name !== undefined) ? [...new Set(names)] : undefined;
}

function parseRoots(
  paths: readonly string[],
  isPartial: boolean,
): Pick<VerifyScope, 'roots' | 'isWhole' | 'findRoot'> {
  if (paths.length === 0 || paths.includes(''))
    return { roots: [''], isWhole: !isPartial, findRoot: () => '' };
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) throw usageError(`"${outside}" is not a path inside the download folder`);
  const roots = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  return {
    roots: [...new Set(roots)],
    isWhole: false,
    findRoot: (path) => roots.find((root) => path === root || path.startsWith(`${root}/`)),
  };
}

/** A downloaded day file, an output of an export, or the format of a conversion's output. */
type CheckedFileKind = 'day' | 'export' | OutputFormatName;

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

/** Bytes that were just read of the request at an index. */
export type CheckedBytes = readonly [index: number, count: number];

/** Inspects files one after the other; calls may overlap. */
export type InspectFiles = RunTask<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>;

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

/** Checks for the recorded files in scope: day files and the outputs of downloads. */
export function* createRecordedChecks(manifest: Manifest, scope: VerifyScope): Generator<FileCheck> {
  for (const record of manifest.records()) {
    if (!scope.includes(record.file)) continue;
    for (const check of createRecordChecks(record)) if (scope.findRoot(check.path) !== undefined) yield check;
  }
}

/** Checks for the files of one record. */
export function* createRecordChecks(record: ManifestRecord): Generator<FileCheck> {
  const { file, path, dropped, conversions = [] } = record;
  if (!dropped) yield { kind: 'day', path, file, record, expected: record };
  for (const conversion of conversions) {
    const kind = findOutputFormat(conversion.path);
    if (kind) {
      yield {
        kind,
        path: conversion.path,
        file,
        record,
        expected: conversion,
        isOutdated: isOutdated(conversion, file.dataType),
      };
    }
  }
}

/** Checks for day files without a record. */
export function* createUnknownFileChecks(files: Iterable<readonly [string, DayFile]>): Generator<FileCheck> {
  for (const [path, file] of files) yield { kind: 'day', path, file, record: undefined, expected: undefined };
}

/** Checks for the recorded exports in scope; scripts that users may edit are not checked. */
export function createExportChecks(log: ExportLog, scope: VerifyScope): readonly FileCheck[] {
  return log.outputs().flatMap(({ output, record }): FileCheck[] => {
    if (output.isEditable) return [];
    const source = record.sources[0]?.name;
    const file = source === undefined ? undefined : parseDayFileName(source);
    if (scope.findRoot(output.path) === undefined || !scope.includes(file)) return [];
    const { target } = record;
    return [{ kind: 'export', path: output.path, file, source, target, record: undefined, expected: output }];
  });
}

/** Checks for outputs of `convert`, which no record lists. */
export function* createOutputChecks(paths: Iterable<string>): Generator<FileCheck> {
  for (const path of paths) {
    const kind = findOutputFormat(path);
    if (kind) yield { kind, path, file: undefined, record: undefined, expected: undefined };
  }
}
