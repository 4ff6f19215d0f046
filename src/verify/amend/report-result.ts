import type { FileEvent } from '../../run/run-events.js';
import { errorToFileStatus, findFileError } from '../check/find-file-error.js';
import {
  createProvenanceLookup,
  type OutputProvenance,
  toOutputProvenance,
} from '../check/output-provenance.js';
import type { CheckResult, FileCheck } from '../file-check.js';
import type { Verification } from '../verification.js';
import { createRecorder } from './recorder.js';

/** Says what a file is that was looked at, and records it where that was asked for. */
export type ReportResult = (check: FileCheck, sight: CheckResult) => Promise<FileEvent>;

/** The promise rejects with `disk` where a record can't be written. */
export function createResultReporter({ input, manifest }: Verification): ReportResult {
  const notesOf = createProvenanceLookup(input.destination, input.signal);
  const record = createRecorder(manifest);

  const findMaking = async (
    check: FileCheck,
    { observation }: CheckResult,
  ): Promise<OutputProvenance | undefined> => {
    const { kind, path, expected } = check;
    if (kind === 'day' || !observation) return undefined;
    // A note may be of what stood there before a download made its own.
    const pairs = observation.keyValues ?? (expected ? undefined : await notesOf(path));
    return pairs && toOutputProvenance(path, kind, pairs, manifest);
  };

  return async (check, sight) => {
    const { kind, path, file } = check;
    const making = await findMaking(check, sight);
    const known = check.record ?? making?.record;
    const source = kind === 'day' ? undefined : (known?.path ?? making?.source.name);
    const base = { event: 'file', file: file ?? known?.file, path, source } as const;
    const error = findFileError(check, sight, making);
    if (error) return { ...base, status: errorToFileStatus(error), error };
    const { observation } = sight;
    if (input.adopt && observation) await record(check, observation);
    const { bytes, rows } = observation ?? check.expected ?? {};
    if (kind !== 'day') {
      const isOutdated = check.isOutdated ?? making?.isOutdated;
      return { ...base, status: 'verified', bytes, rows, ...(isOutdated && { outdated: true }) };
    }
    const md5 = known?.md5 ?? observation?.md5;
    return { ...base, status: 'verified', bytes, rows, md5, md5Match: known?.md5Match ?? null };
  };
}
