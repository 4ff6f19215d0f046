import { isOutdated } from '../../convert/output/versions.js';
import type { ConvertOptions } from '../../format/options.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';
import type { PlannedOutput } from '../types.js';

/**
 * What the manifest tells of this output of a day file, made with these options in the version that is made now;
 * undefined for nothing.
 */
export function conversionOf(
  { file, conversions }: ManifestRecord,
  { path, type }: PlannedOutput,
  options: ConversionEntry['options'],
): ConversionEntry | undefined {
  return conversions?.find(
    (entry) =>
      entry.path === path &&
      entry.computed === type?.name &&
      isSame(entry.options, options) &&
      !isOutdated(entry, file.dataType),
  );
}

function isSame(some: ConversionEntry['options'], others: ConversionEntry['options']): boolean {
  const keys = Object.keys(some);
  return keys.length === Object.keys(others).length && keys.every((key) => some[key] === others[key]);
}

/** The options as the manifest keeps them. */
export function optionsEntry(options: ConvertOptions): ConversionEntry['options'] {
  const chosen = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(chosen) as ConversionEntry['options'];
}

/**
 * The record of bytes that were just proven, with what was made of them: what is known of the same bytes stays,
 * what was made of others is forgotten.
 */
export function withConversions(
  record: ManifestRecord,
  known: ManifestRecord | undefined,
  made: readonly ConversionEntry[],
): ManifestRecord {
  const { conversions: _, dropped: __, ...plain } = record;
  const before = known?.sha256 === record.sha256 ? (known.conversions ?? []) : [];
  const anew = new Set(made.map(({ path }) => path));
  const conversions = [...before.filter(({ path }) => !anew.has(path)), ...made];
  return conversions.length === 0 ? plain : { ...plain, conversions };
}
