import type { Manifest } from '../store/manifest/manifest.js';
import { createSeriesDayIndex, type SeriesDayIndex } from './amend/series-day-index.js';
import type { VerifyScope } from './verify-scope.js';

/** What a manifest tells of a scope, by one pass: each reads a million records anew. */
export interface RecordedFiles {
  /** Files to check. */
  readonly files: number;
  /** Those roots of the scope under which something is recorded. */
  readonly roots: ReadonlySet<string>;
  /** Paths of conversions, in the whole folder. */
  readonly conversions: ReadonlySet<string>;
  /** Of the day files in the whole folder, with those whose CSV was dropped. */
  readonly days: SeriesDayIndex;
}

export function readRecordedFiles(manifest: Manifest, scope: VerifyScope): RecordedFiles {
  const roots = new Set<string>();
  const conversions = new Set<string>();
  const days = createSeriesDayIndex();
  let files = 0;
  const isIncluded = (path: string): boolean => {
    const root = scope.findRoot(path);
    if (root !== undefined) roots.add(root);
    return root !== undefined;
  };
  for (const { path, file, dropped, conversions: made = [] } of manifest.records()) {
    const isWanted = scope.includes(file);
    const isMeant = isIncluded(path) && isWanted;
    // A day that the check isn't about is there nevertheless.
    days.add(file, isMeant);
    if (isMeant && !dropped) files++;
    for (const entry of made) {
      conversions.add(entry.path);
      if (isIncluded(entry.path) && isWanted) files++;
    }
  }
  return { files, roots, conversions, days };
}
