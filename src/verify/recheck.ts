import { isDeepStrictEqual } from 'node:util';
import type { FileEvent } from '../events/run-events.js';
import type { ManifestScope } from '../store/manifest/manifest.js';
import { type CheckResult, createRecordChecks, type ExpectedFile, type FileCheck } from './file-checks.js';
import {
  compareWithListing,
  createRequestFactory,
  inspectFileBytes,
  statExpected,
} from './inspect-file-bytes.js';
import type { ReportResult } from './judge-file.js';
import type { Verification } from './verification.js';

/**
 * Checks files again that seem bad if another run changed their records since the manifest was read: the record then
 * describes other bytes, or no longer exists.
 * @returns a function that resolves to the events of the files whose records changed.
 */
export function createRecheck(
  { input: { destination, quick, signal }, contents, manifest }: Verification,
  reportResult: ReportResult,
): (checks: readonly FileCheck[]) => Promise<ReadonlyMap<FileCheck, FileEvent>> {
  const createRequest = createRequestFactory(destination);

  const checkAgain = async (check: FileCheck, expected: ExpectedFile): Promise<CheckResult> => {
    const request = createRequest(check);
    if (!quick) return inspectFileBytes(request, () => {}, destination.files, signal);
    return contents.listed
      ? compareWithListing(expected, await destination.files.stat(request.location, signal))
      : statExpected(request);
  };

  return async (checks) => {
    const events = new Map<FileCheck, FileEvent>();
    const recorded = checks.filter(({ record }) => record !== undefined);
    if (recorded.length === 0) return events;
    const current = await manifest.reread(createManifestScope(recorded), signal);
    for (const check of recorded) {
      const record = current.get(check.record?.path ?? '');
      if (isDeepStrictEqual(record, check.record)) continue;
      const currentCheck =
        record && [...createRecordChecks(record)].find((candidate) => candidate.path === check.path);
      if (currentCheck?.expected)
        events.set(
          check,
          await reportResult(currentCheck, await checkAgain(currentCheck, currentCheck.expected)),
        );
      else events.set(check, { event: 'file', status: 'skipped', file: check.file, path: check.path });
    }
    return events;
  };
}

/** The part of a manifest that holds the records of these checks. */
function createManifestScope(checks: readonly FileCheck[]): ManifestScope {
  const files = checks.flatMap(({ record }) => record?.file ?? []);
  const days = files.map(({ day }) => day);
  return {
    exchanges: [...new Set(files.map(({ exchange }) => exchange))],
    dataTypes: [...new Set(files.map(({ dataType }) => dataType))],
    from: Math.min(...days),
    to: Math.max(...days) + 1,
  };
}
