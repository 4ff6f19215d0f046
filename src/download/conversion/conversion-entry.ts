import { isOutdated } from '../../convert/provenance.js';
import type { OutputOptions } from '../../format/output-format.js';
import { barRulesOf } from '../../market/message-type-name.js';
import type { ConversionEntry, ManifestRecord } from '../../store/manifest-record.js';
import type { PlannedOutput } from '../download-options.js';

/**
 * The manifest's entry of an output that was converted with these options, and the rules of its bars, by the current
 * output version; undefined if there is none.
 */
export function findConversionEntry(
  { file, conversions }: ManifestRecord,
  { path, type }: PlannedOutput,
  options: ConversionEntry['options'],
): ConversionEntry | undefined {
  const expected = withRules(options, type);
  return conversions?.find(
    (entry) =>
      entry.path === path &&
      entry.computed === type?.name &&
      hasSameOptions(entry.options, expected) &&
      !isOutdated(entry, file.dataType),
  );
}

function hasSameOptions(
  options: ConversionEntry['options'],
  otherOptions: ConversionEntry['options'],
): boolean {
  const keys = Object.keys(options);
  return (
    keys.length === Object.keys(otherOptions).length &&
    keys.every((key) => options[key] === otherOptions[key])
  );
}

/** Options in the form of the manifest, with the rules of an output's bars. */
export function withRules(
  options: ConversionEntry['options'],
  type: PlannedOutput['type'],
): ConversionEntry['options'] {
  const { barTime, fill } = barRulesOf(type);
  return barTime || fill ? { ...options, ...(barTime && { barTime }), ...(fill && { fill }) } : options;
}

/** The options in the form of the manifest. */
export function toEntryOptions(options: OutputOptions): ConversionEntry['options'] {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as ConversionEntry['options'];
}

/**
 * The record of a verified file, with its new conversions. Earlier conversions of the same bytes are kept, those of
 * other bytes are dropped.
 */
export function withConversions(
  record: ManifestRecord,
  previous: ManifestRecord | undefined,
  newConversions: readonly ConversionEntry[],
): ManifestRecord {
  const { conversions: _, dropped: __, ...plain } = record;
  const earlier = previous?.sha256 === record.sha256 ? (previous.conversions ?? []) : [];
  const newPaths = new Set(newConversions.map(({ path }) => path));
  const conversions = [...earlier.filter(({ path }) => !newPaths.has(path)), ...newConversions];
  return conversions.length === 0 ? plain : { ...plain, conversions };
}
