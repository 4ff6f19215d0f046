import type { ConvertOptions } from '../../format/options.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';

/** What the manifest tells of a day file's conversion to this path with these options; undefined for nothing. */
export function conversionOf(
  { conversions }: ManifestRecord,
  output: string,
  options: ConversionEntry['options'],
): ConversionEntry | undefined {
  return conversions?.find((entry) => entry.path === output && isSame(entry.options, options));
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
  made: ConversionEntry | undefined,
): ManifestRecord {
  const { conversions: _, dropped: __, ...plain } = record;
  const before = known?.sha256 === record.sha256 ? (known.conversions ?? []) : [];
  const conversions = before.filter(({ path }) => path !== made?.path).concat(made ?? []);
  return conversions.length === 0 ? plain : { ...plain, conversions };
}
