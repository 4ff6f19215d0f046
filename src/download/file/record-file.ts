import type { TransferSlot } from '../../http/transfer-pool.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import { withConversions } from '../conversion/conversion-entry.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { TransferContext } from '../shared-run.js';

interface RecordContext extends Pick<TransferContext, 'place' | 'work' | 'signal'> {
  /** Slot of the file; recording does not need it. */
  readonly slot: TransferSlot;
}

/**
 * Records a complete day file with its conversions, then deletes the CSV if only the conversions are kept and all are
 * complete. Files of a run that is killed before the record are verified by the next run.
 * @param outcome of all missing conversions; undefined if there were none.
 * @param csv where the CSV is: `written`, or, for a file of which only the conversions were written, whether an earlier
 * file may exist at its path (`stale`) or none does (`none`).
 * @throws TickhaulError if a conversion failed, after the record of the CSV, or else of the successful conversions.
 */
export async function recordFile(
  context: RecordContext,
  verified: ManifestRecord,
  outcome: ConversionOutcome | undefined,
  csv: 'written' | 'stale' | 'none' = 'written',
): Promise<ManifestRecord> {
  const { place, work } = context;
  const { newConversions = [], failure } = outcome ?? {};
  const record = withConversions(verified, place.manifest.get(verified.path), newConversions);
  const isWritten = csv === 'written';
  const isDropped = isWritten ? outcome && !failure && work.conversions?.keepCsv === false : !failure;
  if (isDropped) return dropCsv(context, record, csv !== 'none');
  // Without the CSV and a successful conversion, there is nothing to record.
  if (isWritten) await appendRecord(context, record);
  else if (newConversions.length > 0) await appendRecord(context, { ...record, dropped: true });
  if (failure) throw failure;
  return record;
}

/**
 * Deletes a converted CSV. The record is written first, so that the file never counts as missing.
 * @param mayExist whether there may be a file at its path.
 */
export async function dropCsv(
  context: RecordContext,
  record: ManifestRecord,
  mayExist = true,
): Promise<ManifestRecord> {
  const { destination } = context.place;
  const dropped: ManifestRecord = { ...record, dropped: true };
  await appendRecord(context, dropped);
  if (mayExist) await destination.files.remove(destination.locate(record.path), context.signal);
  return dropped;
}

function appendRecord({ place, slot }: RecordContext, record: ManifestRecord): Promise<void> {
  return slot.inBackground(() => place.manifest.append(record));
}
