import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/types.js';
import { withConversions } from '../conversion/conversion-entry.js';
import type { ConversionOutcome, Conversions } from '../conversion/conversions.js';

interface KeepContext {
  readonly destination: Destination;
  readonly manifest: Manifest;
  readonly conversions: Conversions | undefined;
}

/**
 * Records a day file that stands on disk whole, with what was made of it; then deletes the CSV where only the
 * conversions are wanted, and all stand. A run that is killed before the record leaves files that the next one verifies.
 * @param outcome of all conversions that were still to be made; undefined where there were none.
 * @throws TickhaulError why a conversion failed, after the record of the CSV was written.
 */
export async function keep(
  context: KeepContext,
  proven: ManifestRecord,
  outcome: ConversionOutcome | undefined,
): Promise<ManifestRecord> {
  const { manifest, conversions } = context;
  const { made = [], failure } = outcome ?? {};
  const record = withConversions(proven, manifest.get(proven.path), made);
  if (outcome && !failure && conversions?.keepCsv === false) return drop(context, record);
  await manifest.append(record);
  if (failure) throw failure;
  return record;
}

/** Deletes a CSV whose conversion is whole; the record goes first, so that it is never thought to be missing. */
export async function drop(
  { manifest, destination }: KeepContext,
  record: ManifestRecord,
): Promise<ManifestRecord> {
  const dropped: ManifestRecord = { ...record, dropped: true };
  await manifest.append(dropped);
  await destination.files.remove(destination.locate(record.path));
  return dropped;
}
