import { dirname, posix } from 'node:path';
import type { ErrorCode, FileError } from '../base/errors.js';
import type { OutputFormatName } from '../base/output-format-names.js';
import { plural } from '../base/units.js';
import {
  openProvenanceStore,
  type ProvenancePairs,
  type ProvenanceStore,
} from '../convert/existing-outputs.js';
import {
  isOutdatedRecord,
  parseOutputBytes,
  parseRowCount,
  parseSources,
  type SourceIdentity,
} from '../convert/provenance.js';
import type { FileEvent, FileStatus } from '../events/run-events.js';
import type { FileChecksums } from '../gzip/verify-file.js';
import type { Destination } from '../store/destination.js';
import type { StoredVersion } from '../store/files.js';
import { absoluteLocation } from '../store/location.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { createVerifiedRecord, type ManifestRecord } from '../store/manifest-record.js';
import type { CheckResult, ExpectedFile, FileCheck, FileObservation } from './file-checks.js';
import type { Verification } from './verification.js';

/**
 * Creates the event for a checked file, and records the file if that was requested (`--adopt`). Rejects with `disk` if a
 * record cannot be written.
 */
export type ReportResult = (check: FileCheck, result: CheckResult) => Promise<FileEvent>;

export function createResultReporter({ input, manifest }: Verification): ReportResult {
  const findProvenancePairs = createProvenanceLookup(input.destination, input.signal);
  const recordFile = createRecorder(manifest);

  const findProvenance = async (
    format: OutputFormatName,
    { path, expected }: FileCheck,
    { observation }: CheckResult,
  ): Promise<OutputProvenance | undefined> => {
    if (!observation) return undefined;
    // For a recorded output, the note may describe an older file at the same path.
    const pairs = observation.keyValues ?? (expected ? undefined : await findProvenancePairs(path));
    return pairs && toOutputProvenance(path, format, pairs, manifest);
  };

  return async (check, result) => {
    const { kind, path, file } = check;
    const isOutput = kind !== 'day' && kind !== 'export';
    const provenance = isOutput ? await findProvenance(kind, check, result) : undefined;
    // An output of several day files is named by itself.
    const only = provenance?.sources.length === 1 ? provenance.sources[0] : undefined;
    const record = check.record ?? only?.record;
    const source = kind === 'day' ? undefined : (check.source ?? record?.path ?? only?.source.name);
    const base = { event: 'file', file: file ?? record?.file, path, source } as const;
    const error = findFileError(check, result, provenance);
    if (error) {
      const status = errorToFileStatus(error);
      return { ...base, status, error, repairedBy: findRepair(check, status) };
    }
    const { observation } = result;
    if (input.adopt && observation) await recordFile(check, observation);
    const { bytes, rows = check.expected?.rows } = observation ?? check.expected ?? {};
    if (kind !== 'day') {
      const isOutdated = check.isOutdated ?? provenance?.isOutdated;
      return { ...base, status: 'verified', bytes, rows, ...(isOutdated && { outdated: true }) };
    }
    const md5 = record?.md5 ?? observation?.md5;
    return { ...base, status: 'verified', bytes, rows, md5, md5Match: record?.md5Match ?? null };
  };
}

/** A missing export is written again by the next export in any case. */
function findRepair({ kind, record }: FileCheck, status: FileStatus): FileEvent['repairedBy'] {
  if (kind === 'export') return status === 'corrupt' ? 'export' : undefined;
  return record && status !== 'failed' ? 'download' : undefined;
}

/** The error of a checked file, or undefined if it is valid. */
function findFileError(
  check: FileCheck,
  result: CheckResult,
  provenance?: OutputProvenance,
): FileError | undefined {
  const { error, observation } = result;
  if (error) return addPath(check, error);
  if (!observation) return undefined;
  const { expected, record } = check;
  const message =
    (expected && compareWithRecord(observation, expected)) ??
    (provenance && compareWithProvenance(observation, provenance, record));
  if (message !== undefined) return addPath(check, { code: 'corrupt', message });
  return observation.startError && addPath(check, observation.startError);
}

/** Maps an error to the status of its file. */
function errorToFileStatus(error: FileError): FileStatus {
  if (error.code === 'missing') return 'missing';
  return error.code === 'corrupt' || error.code === 'changed' ? 'corrupt' : 'failed';
}

function compareWithRecord({ sha256, rows }: FileObservation, expected: ExpectedFile): string | undefined {
  if (sha256 !== undefined && sha256 !== expected.sha256) return 'its sha256 is not the recorded one';
  if (rows !== undefined && rows !== expected.rows)
    return `has ${plural(rows, 'row')}, ${expected.rows} were recorded`;
  return undefined;
}

function compareWithProvenance(
  { bytes, rows }: FileObservation,
  provenance: OutputProvenance,
  /** Record of the only source, if the output is in the manifest. */
  known: ManifestRecord | undefined,
): string | undefined {
  if (rows !== provenance.rows) return `has ${plural(rows ?? 0, 'row')}, ${provenance.rows} were written`;
  if (provenance.bytes >= 0 && bytes !== provenance.bytes)
    return `has ${plural(bytes, 'byte')}, ${provenance.bytes} were written`;
  for (const { source, record } of provenance.sources) {
    const current = known ?? record;
    if (current && current.md5 !== source.md5)
      return `${current.path} has changed since this conversion; convert it again`;
  }
  return undefined;
}

/** Puts the file's path before the message, unless the message contains it, and the remedy of a bad export after it. */
function addPath({ path, target }: FileCheck, error: FileError): FileError {
  const message = error.message.includes(path) ? error.message : `${path}: ${error.message}`;
  if (target === undefined) return { ...error, message };
  const remedies: Partial<Record<ErrorCode, string>> = {
    corrupt: `; tickhaul export ${target} … --existing overwrite writes it again`,
    missing: '; the next export writes it again',
  };
  return { ...error, message: `${message}${remedies[error.code] ?? ''}` };
}

/** Provenance of a conversion's output, from the output itself or from the notes of its folder. */
interface OutputProvenance {
  /** Size of the output; NaN if not recorded. */
  readonly bytes: number;
  readonly rows: number;
  /** At least one. */
  readonly sources: readonly ProvenSource[];
  /** Whether the output has another version than this build writes. */
  readonly isOutdated: boolean;
}

/** A source of an output. */
interface ProvenSource {
  readonly source: SourceIdentity;
  /** Its current record, if the manifest has one. */
  readonly record: ManifestRecord | undefined;
}

/** Looks up the notes of `convert`: in the output's folder first, then in the download folder. */
function createProvenanceLookup(
  destination: Destination,
  signal: AbortSignal,
): (path: string) => Promise<ProvenancePairs | undefined> {
  const dir = absoluteLocation(destination.locate(''));
  const stores = new Map<string, Promise<ProvenanceStore>>();
  const openStore = (folder: string): Promise<ProvenanceStore> => {
    const store = stores.get(folder) ?? openProvenanceStore(folder, destination.files, signal);
    stores.set(folder, store);
    return store;
  };
  return async (path) => {
    const target = destination.locate(path);
    const pairs = await (await openStore(dirname(target))).get(target);
    return pairs ?? (await openStore(dir)).get(target);
  };
}

/** Undefined if the pairs were not written by a tickhaul conversion. */
function toOutputProvenance(
  path: string,
  format: OutputFormatName,
  pairs: ProvenancePairs,
  manifest: Manifest,
): OutputProvenance | undefined {
  const sources = parseSources(pairs).map((source) => ({
    source,
    record: manifest.get(posix.join(posix.dirname(path), source.name)) ?? manifest.get(source.name),
  }));
  if (sources.length === 0) return undefined;
  return {
    bytes: parseOutputBytes(pairs),
    rows: parseRowCount(pairs),
    sources,
    isOutdated: isOutdatedRecord(pairs, format),
  };
}

/**
 * Records verified files that the manifest lacks or records with another ETag (`--adopt`). Resolves when the record
 * is written.
 */
type Recorder = (check: FileCheck, observation: FileObservation) => Promise<void>;

function createRecorder(manifest: Manifest): Recorder {
  /** Records that are not in the manifest yet, by path. */
  const pending = new Map<string, ManifestRecord>();
  return async (check, observation) => {
    const { path, record } = check;
    const known = record && (pending.get(record.path) ?? manifest.get(record.path));
    const updated = record
      ? known && withObject(known, path, toStoredVersion(observation))
      : createRecord(check, observation);
    if (!updated) return;
    pending.set(updated.path, updated);
    await manifest.append(updated);
    if (pending.get(updated.path) === updated) pending.delete(updated.path);
  };
}

function createRecord(
  { kind, path, file }: FileCheck,
  observation: FileObservation,
): ManifestRecord | undefined {
  return kind === 'day' && file
    ? createVerifiedRecord(
        file,
        path,
        observation as FileObservation & FileChecksums,
        toStoredVersion(observation),
      )
    : undefined;
}

/**
 * The record with the ETag of the object that was read. A copied object has another ETag, and a record from a disk
 * has none. Undefined if nothing changes.
 */
function withObject(
  record: ManifestRecord,
  path: string,
  object: StoredVersion | undefined,
): ManifestRecord | undefined {
  const isNew = (recorded: { readonly path: string; readonly object?: StoredVersion | undefined }): boolean =>
    recorded.path === path && recorded.object?.etag !== object?.etag;
  if (!object) return undefined;
  if (isNew(record)) return { ...record, object };
  const { conversions = [] } = record;
  if (!conversions.some(isNew)) return undefined;
  return {
    ...record,
    conversions: conversions.map((conversion) =>
      isNew(conversion) ? { ...conversion, object } : conversion,
    ),
  };
}

/** Undefined for a file on disk, which has no ETag. */
function toStoredVersion({ etag }: FileObservation): StoredVersion | undefined {
  return etag === undefined ? undefined : { etag };
}
