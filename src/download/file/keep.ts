import type { ManifestRecord } from '../../store/types.js';
import type { Place } from '../../transfer/pool.js';
import { withConversions } from '../conversion/conversion-entry.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { TransferContext } from './transfer-context.js';

interface KeepContext
  extends Pick<TransferContext, 'destination' | 'manifest' | 'recording' | 'conversions' | 'signal'> {
  /** Of the file: its record needs none. */
  readonly place: Place;
}

/**
 * Records a day file that stands whole, with what was made of it; then deletes the CSV where only the conversions are
 * wanted, and all stand. A run that is killed before the record leaves files that the next one verifies.
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
  await append(context, record);
  if (failure) throw failure;
  return record;
}

/** Deletes a CSV whose conversion is whole; the record goes first, so that it is never thought to be missing. */
export async function drop(context: KeepContext, record: ManifestRecord): Promise<ManifestRecord> {
  const { destination, signal } = context;
  const dropped: ManifestRecord = { ...record, dropped: true };
  await append(context, dropped);
  await destination.files.remove(destination.locate(record.path), signal);
  return dropped;
}

/**
 * Records what was made of a day file whose own bytes were proven, and never written.
 * @param mayStand whether an earlier one may stand at its path.
 * @throws TickhaulError why a conversion failed, after the record of those that stand.
 */
export async function keepMade(
  context: KeepContext,
  proven: ManifestRecord,
  outcome: ConversionOutcome | undefined,
  mayStand: boolean,
): Promise<ManifestRecord> {
  const { destination, manifest, signal } = context;
  const { made = [], failure } = outcome ?? {};
  const dropped: ManifestRecord = {
    ...withConversions(proven, manifest.get(proven.path), made),
    dropped: true,
  };
  // Without one that stands, nothing has changed.
  if (!failure || made.length > 0) await append(context, dropped);
  if (failure) throw failure;
  if (mayStand) await destination.files.remove(destination.locate(dropped.path), signal);
  return dropped;
}

function append({ recording, place }: KeepContext, record: ManifestRecord): Promise<void> {
  place.retire();
  return recording.append(record);
}
