import { findOutputFormat } from '../../base/output-format-names.js';
import { isOutdated } from '../../convert/output/versions.js';
import type { DayFile } from '../../dataset/day-file.js';
import { parseDayFileName } from '../../dataset/day-file.js';
import type { ExportLog } from '../../export/export-log.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { FileCheck } from '../file-check.js';
import type { VerifyScope } from '../verify-scope.js';

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

/** Checks for the recorded exports in scope. */
export function createExportChecks(log: ExportLog, scope: VerifyScope): readonly FileCheck[] {
  return log.outputs().flatMap(({ output, record }): FileCheck[] => {
    const source = record.sources[0]?.name;
    const file = source === undefined ? undefined : parseDayFileName(source);
    if (!scope.includes(file) || scope.findRoot(output.path) === undefined) return [];
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
