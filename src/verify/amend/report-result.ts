import type { FileEvent, FileStatus } from '../../run/run-events.js';
import { errorToFileStatus, findFileError } from '../check/find-file-error.js';
import {
  createProvenanceLookup,
  type OutputProvenance,
  toOutputProvenance,
} from '../check/output-provenance.js';
import type { CheckResult, FileCheck } from '../file-check.js';
import type { Verification } from '../verification.js';
import { createRecorder } from './recorder.js';

/** Creates the event for a checked file, and records the file if that was requested (`--adopt`). */
export type ReportResult = (check: FileCheck, result: CheckResult) => Promise<FileEvent>;
/** The reporter rejects with `disk` if a record cannot be written. */
export function createResultReporter({ input, manifest }: Verification): ReportResult {
  const findProvenancePairs = createProvenanceLookup(input.destination, input.signal);
  const recordFile = createRecorder(manifest);

  const findProvenance = async (
    check: FileCheck,
    { observation }: CheckResult,
  ): Promise<OutputProvenance | undefined> => {
    const { kind, path, expected } = check;
    if (kind === 'day' || kind === 'export' || !observation) return undefined;
    // For a recorded output, the note may describe an older file at the same path.
    const pairs = observation.keyValues ?? (expected ? undefined : await findProvenancePairs(path));
    return pairs && toOutputProvenance(path, kind, pairs, manifest);
  };

  return async (check, result) => {
    const { kind, path, file } = check;
    const provenance = await findProvenance(check, result);
    const record = check.record ?? provenance?.record;
    const source = kind === 'day' ? undefined : (check.source ?? record?.path ?? provenance?.source.name);
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
