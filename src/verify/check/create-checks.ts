import { isOutdated } from '../../convert/output/versions.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { FileCheck } from '../file-check.js';
import { outputKindOfPath } from '../folder-contents.js';
import type { VerifyScope } from '../verify-scope.js';

/** The files to check that the manifest knows: day files, and what a download made of them. */
export function* createRecordedChecks(manifest: Manifest, scope: VerifyScope): Generator<FileCheck> {
  for (const record of manifest.records()) {
    if (!scope.includes(record.file)) continue;
    for (const check of createRecordChecks(record)) if (scope.findRoot(check.path) !== undefined) yield check;
  }
}

/** The files that one record tells of. */
export function* createRecordChecks(record: ManifestRecord): Generator<FileCheck> {
  const { file, path, dropped, conversions = [] } = record;
  if (!dropped) yield { kind: 'day', path, file, record, expected: record };
  for (const made of conversions) {
    const kind = outputKindOfPath(made.path);
    if (kind) {
      yield {
        kind,
        path: made.path,
        file,
        record,
        expected: made,
        isOutdated: isOutdated(made, file.dataType),
      };
    }
  }
}

/** Day files that the manifest doesn't know. */
export function* createUnknownFileChecks(files: Iterable<readonly [string, DayFile]>): Generator<FileCheck> {
  for (const [path, file] of files) yield { kind: 'day', path, file, record: undefined, expected: undefined };
}

/** What conversions by hand made. */
export function* createOutputChecks(paths: Iterable<string>): Generator<FileCheck> {
  for (const path of paths) {
    const kind = outputKindOfPath(path);
    if (kind) yield { kind, path, file: undefined, record: undefined, expected: undefined };
  }
}
