import { isDeepStrictEqual } from 'node:util';
import type { FileEvent } from '../../run/run-events.js';
import type { ManifestScope } from '../../store/manifest/manifest-scope.js';
import { createRequestFactory } from '../check/check-requests.js';
import { compareWithListing } from '../check/compare-with-listing.js';
import { createRecordChecks } from '../check/create-checks.js';
import { inspectFileBytes, statExpected } from '../check/inspect-file-bytes.js';
import type { CheckResult, ExpectedFile, FileCheck } from '../file-check.js';
import type { Verification } from '../verification.js';
import type { ReportResult } from './report-result.js';

/**
 * Looks again at files that seem bad, where another run has recorded them anew since the manifest was read, or has
 * dropped or forgotten them: their records then tell of other bytes, or are gone.
 * @returns what became of those.
 */
export function createRecheck(
  { input: { destination, quick, signal }, contents, manifest }: Verification,
  settle: ReportResult,
): (checks: readonly FileCheck[]) => Promise<ReadonlyMap<FileCheck, FileEvent>> {
  const orderOf = createRequestFactory(destination);

  const sightOf = async (check: FileCheck, expected: ExpectedFile): Promise<CheckResult> => {
    const order = orderOf(check);
    if (!quick) return inspectFileBytes(order, () => {}, destination.files, signal);
    return contents.listed
      ? compareWithListing(expected, await destination.files.stat(order.location, signal))
      : statExpected(order);
  };

  return async (checks) => {
    const events = new Map<FileCheck, FileEvent>();
    const recorded = checks.filter(({ record }) => record !== undefined);
    if (recorded.length === 0) return events;
    const current = await manifest.reread(createManifestScope(recorded), signal);
    for (const check of recorded) {
      const record = current.get(check.record?.path ?? '');
      if (isDeepStrictEqual(record, check.record)) continue;
      const now = record && [...createRecordChecks(record)].find((each) => each.path === check.path);
      if (now?.expected) events.set(check, await settle(now, await sightOf(now, now.expected)));
      else events.set(check, { event: 'file', status: 'skipped', file: check.file, path: check.path });
    }
    return events;
  };
}

/** The part of a manifest that knows these. */
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
