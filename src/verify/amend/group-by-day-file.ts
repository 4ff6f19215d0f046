import type { BadFile } from '../file-check.js';

/** Groups bad files by the path of their day file, since files of the same day file are repaired together. */
export function groupByDayFile(bad: readonly BadFile[]): ReadonlyMap<string, readonly BadFile[]> {
  const groups = new Map<string, BadFile[]>();
  for (const file of bad) {
    const group = groups.get(file.record.path);
    if (group) group.push(file);
    else groups.set(file.record.path, [file]);
  }
  return groups;
}
