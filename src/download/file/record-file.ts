import type { Destination } from '../../store/destination.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import { withConversions } from '../conversion/conversion-entry.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { TransferContext } from './transfer-context.js';

interface RecordContext extends Pick<TransferContext, 'place' | 'work' | 'signal'> {
  /** Slot of the file; recording does not need it. */
  readonly slot: TransferSlot;
}

/**
 * Records a complete day file with its conversions, then deletes the CSV if only the conversions are kept and all are
 * complete. Files of a run that is killed before the record are verified by the next run.
 * @param outcome of all missing conversions; undefined if there were none.
 * @throws TickhaulError if a conversion failed, after the record of the CSV was written.
 */
export async function recordFile(
  context: RecordContext,
  verified: ManifestRecord,
  outcome: ConversionOutcome | undefined,
): Promise<ManifestRecord> {
  const { place, work } = context;
  const { newConversions = [], failure } = outcome ?? {};
  const record = withConversions(verified, place.manifest.get(verified.path), newConversions);
  if (outcome && !failure && work.conversions?.keepCsv === false) return dropCsv(context, record);
  await appendRecord(context, record);
  if (failure) throw failure;
  return record;
}

/** Deletes a converted CSV. The record is written first, so that the file never counts as missing. */
export async function dropCsv(context: RecordContext, record: ManifestRecord): Promise<ManifestRecord> {
  const { place, signal } = context;
  const dropped: ManifestRecord = { ...record, dropped: true };
  await appendRecord(context, dropped);
  await removeFile(place.destination, record.path, signal);
  return dropped;
}

/**
 * Records the conversions of a day file that was verified but not written.
 * @param mayExist whether an earlier file may exist at its path.
 * @throws TickhaulError if a conversion failed, after the record of the successful ones.
 */
export async function recordConversionsOnly(
  context: RecordContext,
  verified: ManifestRecord,
  outcome: ConversionOutcome | undefined,
  mayExist: boolean,
): Promise<ManifestRecord> {
  const { place, signal } = context;
  const { newConversions = [], failure } = outcome ?? {};
  const dropped: ManifestRecord = {
    ...withConversions(verified, place.manifest.get(verified.path), newConversions),
    dropped: true,
  };
  // Without a successful conversion, there is nothing to record.
  if (!failure || newConversions.length > 0) await appendRecord(context, dropped);
  if (failure) throw failure;
  if (mayExist) await removeFile(place.destination, dropped.path, signal);
  return dropped;
}

function appendRecord({ place, slot }: RecordContext, record: ManifestRecord): Promise<void> {
  return slot.inBackground(() => place.manifest.append(record));
}

function removeFile({ files, locate }: Destination, path: string, signal: AbortSignal): Promise<void> {
  return files.remove(locate(path), signal);
}
