import type { ManifestRecord } from '../../store/manifest-record.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import { withConversions } from '../conversion/conversion-entry.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { TransferContext } from './transfer-context.js';

interface RecordContext
  extends Pick<TransferContext, 'destination' | 'manifest' | 'recording' | 'conversions' | 'signal'> {
  /** Of the file: its record needs none. */
  readonly place: TransferSlot;
}

/**
 * Records a day file that stands whole, with what was made of it; then deletes the CSV where only the conversions are
 * wanted, and all stand. A run that is killed before the record leaves files that the next one verifies.
 * @param outcome of all conversions that were still to be made; undefined where there were none.
 * @throws TickhaulError why a conversion failed, after the record of the CSV was written.
 */
export async function recordFile(
  context: RecordContext,
  proven: ManifestRecord,
  outcome: ConversionOutcome | undefined,
): Promise<ManifestRecord> {
  const { manifest, conversions } = context;
  const { newConversions = [], failure } = outcome ?? {};
  const record = withConversions(proven, manifest.get(proven.path), newConversions);
  if (outcome && !failure && conversions?.keepCsv === false) return dropCsv(context, record);
  await appendRecord(context, record);
  if (failure) throw failure;
  return record;
}

/** Deletes a CSV whose conversion is whole; the record goes first, so that it is never thought to be missing. */
export async function dropCsv(context: RecordContext, record: ManifestRecord): Promise<ManifestRecord> {
  const { destination, signal } = context;
  const dropped: ManifestRecord = { ...record, dropped: true };
  await appendRecord(context, dropped);
  await destination.files.remove(destination.locate(record.path), signal);
  return dropped;
}

/**
 * Records what was made of a day file whose own bytes were proven, and never written.
 * @param mayStand whether an earlier one may stand at its path.
 * @throws TickhaulError why a conversion failed, after the record of those that stand.
 */
export async function recordConversionsOnly(
  context: RecordContext,
  proven: ManifestRecord,
  outcome: ConversionOutcome | undefined,
  mayStand: boolean,
): Promise<ManifestRecord> {
  const { destination, manifest, signal } = context;
  const { newConversions = [], failure } = outcome ?? {};
  const dropped: ManifestRecord = {
    ...withConversions(proven, manifest.get(proven.path), newConversions),
    dropped: true,
  };
  // Without one that stands, nothing has changed.
  if (!failure || newConversions.length > 0) await appendRecord(context, dropped);
  if (failure) throw failure;
  if (mayStand) await destination.files.remove(destination.locate(dropped.path), signal);
  return dropped;
}

function appendRecord({ recording, place }: RecordContext, record: ManifestRecord): Promise<void> {
  place.moveToBackground();
  return recording.append(record);
}
