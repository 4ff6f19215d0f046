import type { Manifest } from '../store/manifest/manifest.js';
import { createSeriesDayIndex, type SeriesDayIndex } from './amend/series-day-index.js';
import type { FileCheck } from './file-check.js';
import type { VerifyScope } from './verify-scope.js';

/** The recorded files of a scope, collected in one pass, since each pass reads up to a million records. */
export interface RecordedFiles {
  /** Number of files to check. */
  readonly files: number;
  /** Roots of the scope that contain recorded files. */
  readonly roots: ReadonlySet<string>;
  /** Paths of all recorded conversions and exports in the folder. */
  readonly outputs: ReadonlySet<string>;
  /** Days of all day files in the folder, including dropped ones. */
  readonly days: SeriesDayIndex;
}

/** @param exports checks of recorded exports in the scope. */
export function readRecordedFiles(
  manifest: Manifest,
  scope: VerifyScope,
  exports: readonly FileCheck[],
): RecordedFiles {
  const roots = new Set<string>();
  const outputs = new Set<string>();
  const days = createSeriesDayIndex();
  let files = 0;
  const isUnderRoot = (path: string): boolean => {
    const root = scope.findRoot(path);
    if (root !== undefined) roots.add(root);
    return root !== undefined;
  };
  for (const { path, file, dropped, conversions: entries = [] } of manifest.records()) {
    const isSelected = scope.includes(file);
    const isInScope = isUnderRoot(path) && isSelected;
    // A day outside the scope still fills a gap.
    days.add(file, isInScope);
    if (isInScope && !dropped) files++;
    for (const entry of entries) {
      outputs.add(entry.path);
      if (isUnderRoot(entry.path) && isSelected) files++;
    }
  }
  for (const { path } of exports) {
    isUnderRoot(path);
    outputs.add(path);
  }
  return { files: files + exports.length, roots, outputs, days };
}
