import { isOutdated } from '../../convert/output/versions.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/types.js';
import type { Scope } from '../scope.js';
import { outputKind } from '../survey.js';
import type { Check } from '../types.js';

/** The files to check that the manifest knows: day files, and what a download made of them. */
export function* recordedChecks(manifest: Manifest, scope: Scope): Generator<Check> {
  for (const record of manifest.records()) {
    if (!scope.wants(record.file)) continue;
    for (const check of checksOf(record)) if (scope.rootOf(check.path) !== undefined) yield check;
  }
}

/** The files that one record tells of. */
export function* checksOf(record: ManifestRecord): Generator<Check> {
  const { file, path, dropped, conversions = [] } = record;
  if (!dropped) yield { kind: 'day', path, file, record, expected: record };
  for (const made of conversions) {
    const kind = outputKind(made.path);
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
export function* unknownChecks(files: Iterable<readonly [string, DayFile]>): Generator<Check> {
  for (const [path, file] of files) yield { kind: 'day', path, file, record: undefined, expected: undefined };
}

/** What conversions by hand made. */
export function* outputChecks(paths: Iterable<string>): Generator<Check> {
  for (const path of paths) {
    const kind = outputKind(path);
    if (kind) yield { kind, path, file: undefined, record: undefined, expected: undefined };
  }
}
