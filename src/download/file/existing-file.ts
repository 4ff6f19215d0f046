import { abortReason, isSystemError, TickhaulError } from '../../base/errors.js';
import { createStartCheck, deferStartCheck } from '../../format/csv/start-check.js';
import { hashFile } from '../../gzip/checksums.js';
import { gunzipStart, type TextSink } from '../../gzip/gunzip.js';
import { type FileChecksums, verifyFile } from '../../gzip/verify-file.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import type { StoredVersion } from '../../store/files.js';
import {
  type ConversionEntry,
  createVerifiedRecord,
  isChecked,
  type ManifestRecord,
  markChecked,
} from '../../store/manifest-record.js';
import { startArrivalWork } from '../conversion/arrival-work.js';
import { findConversionEntry, toEntryOptions } from '../conversion/conversion-entry.js';
import type { PlannedFile, PlannedOutput } from '../download-options.js';
import { acquireSlotAndMemory, type TransferContext } from '../shared-run.js';
import { dropCsv, recordFile } from './record-file.js';

/** A day file that needed no download. */
export interface ExistingFile {
  readonly status: 'verified' | 'skipped';
  readonly record: ManifestRecord;
  /** Conversions written now. */
  readonly newConversions: readonly ConversionEntry[];
}

/**
 * Verifies an existing file, writes missing conversions, and deletes a CSV that is not to be kept.
 * @returns undefined if the file must be downloaded.
 * @throws TickhaulError also if the conversion of a complete file failed.
 */
export async function processExistingFile(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
): Promise<ExistingFile | undefined> {
  const { conversions } = context.work;
  const { outputs, action } = planned;
  const record = context.place.manifest.get(planned.path);
  if (planned.replacesEmpty && record?.rows === 0) return undefined;
  if (record && action === 'nothing') return checkStart(context, planned, slot, record);
  const missing = record ? await findMissingOutputs(context, planned, record) : outputs;
  if (!record || missing.length > 0 || outputs.length === 0 || conversions?.keepCsv !== false) {
    return verifyAndConvert(context, { ...planned, outputs: missing }, slot, record);
  }
  await dropCsv({ ...context, slot }, record);
  return { status: action === 'drop' ? 'skipped' : 'verified', record, newConversions: [] };
}

/** Compressed bytes at the start of a file, enough for a header and a row. */
const START_BYTES = 64 * 1024;

/** Checks the start of a file that a run before that check recorded, and records that it was checked. */
async function checkStart(
  context: TransferContext,
  { file, path }: PlannedFile,
  slot: TransferSlot,
  record: ManifestRecord,
): Promise<ExistingFile | undefined> {
  const { place, emit, signal } = context;
  const { destination } = place;
  const source = await undefinedIfMissing(() =>
    destination.files.openRandom(destination.locate(path), signal),
  );
  if (!source) return undefined;
  try {
    const start = await source.read(0, Math.min(source.bytes, START_BYTES));
    const check = createStartCheck(file);
    check.push(gunzipStart(start));
    check.end();
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
    emit({ event: 'warning', message: `${path}: ${error.message}; downloading it again` });
    return undefined;
  } finally {
    await source.close();
  }
  const checked = { ...record, ...markChecked(record.sha256) };
  // In a folder that cannot be written, the next run checks it again.
  await recordFile({ ...context, slot }, checked, undefined).catch((error: unknown) => {
    if (!(error instanceof TickhaulError) || signal.aborted) throw error;
  });
  return { status: 'skipped', record: checked, newConversions: [] };
}

/** The outputs to write: those that are not recorded, or whose bytes differ from the record. */
async function findMissingOutputs(
  context: TransferContext,
  { outputs, expected }: PlannedFile,
  record: ManifestRecord,
): Promise<readonly PlannedOutput[]> {
  const { conversions } = context.work;
  if (!conversions || (expected && expected.sha256 !== record.sha256)) return outputs;
  const options = toEntryOptions(conversions.options);
  const missing: PlannedOutput[] = [];
  for (const output of outputs) {
    const entry = findConversionEntry(record, output, options);
    if (!entry || !(await isIntact(context, entry))) missing.push(output);
  }
  return missing;
}

async function isIntact(
  { place: { destination }, emit, signal }: TransferContext,
  entry: ConversionEntry,
): Promise<boolean> {
  const { files } = destination;
  const outputLocation = destination.locate(entry.path);
  const sha256 = await undefinedIfMissing(() =>
    hashFile(outputLocation, 'sha256', { read: files.read, signal }),
  );
  if (sha256 !== undefined && sha256 !== entry.sha256) {
    emit({
      event: 'warning',
      message: `${entry.path}: its sha256 is not the recorded one; converting it again`,
    });
  }
  return sha256 === entry.sha256;
}

/** @param planned with the missing outputs only. */
async function verifyAndConvert(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
  record: ManifestRecord | undefined,
): Promise<ExistingFile | undefined> {
  const { emit, signal } = context;
  const { file, path } = planned;
  const isAudited = await context.work.audits?.isAudited(path);
  const releaseMemory = await acquireSlotAndMemory(context, planned, slot, false);
  const work = startArrivalWork(isAudited ? { ...context.work, audits: undefined } : context.work, planned);
  try {
    const existing = await verifyExisting(context, planned, work?.textSink());
    if (!existing) return undefined;
    const { proof, startError, object } = existing;
    const expected = planned.expected ?? record;
    if (expected && expected.sha256 !== proof.sha256) {
      if (signal.aborted) throw abortReason(signal);
      const origin = planned.expected ? 'one that the lock file names' : 'recorded one';
      emit({
        event: 'warning',
        message: `${path}: its sha256 is not the ${origin}; downloading it again`,
      });
      return undefined;
    }
    if (startError) {
      emit({ event: 'warning', message: `${path}: ${startError.message}; downloading it again` });
      return undefined;
    }
    if (planned.replacesEmpty && proof.rows === 0) return undefined;
    const known = record?.sha256 === proof.sha256 ? record : undefined;
    const isSame = known?.object?.etag === object?.etag;
    const outcome = await work?.finish(proof);
    if (known && isSame && !outcome && !known.dropped && isChecked(known))
      return { status: 'verified', record: known, newConversions: [] };
    // Release the memory first: the record may wait for others.
    releaseMemory();
    const verified = known
      ? { ...known, ...markChecked(known.sha256) }
      : createVerifiedRecord(file, path, proof);
    const current = isSame || !object ? verified : { ...verified, object };
    const written = await recordFile({ ...context, slot }, current, outcome);
    return { status: 'verified', record: written, newConversions: outcome?.newConversions ?? [] };
  } finally {
    await work?.end();
    releaseMemory();
  }
}

/** A complete gzip file in the destination. */
interface ExistingBytes {
  readonly proof: FileChecksums;
  /** Why its text does not begin like the day file's. */
  readonly startError: TickhaulError | undefined;
  readonly object: StoredVersion | undefined;
}

/** @returns undefined for a damaged file, with a warning, and for none. */
async function verifyExisting(
  { place: { destination }, emit, signal }: TransferContext,
  { file, path }: PlannedFile,
  sink: TextSink | undefined,
): Promise<ExistingBytes | undefined> {
  const { files } = destination;
  const source = destination.locate(path);
  const check = deferStartCheck(file);
  // The text of another file is of no use to a conversion.
  const onText: TextSink = (text) => (check.error ? undefined : sink?.(text));
  try {
    const etag = (await files.stat(source, signal))?.etag;
    const proof = await undefinedIfMissing(() =>
      verifyFile(source, { check, onText, read: files.read, signal }),
    );
    return proof && { proof, startError: check.error, object: etag === undefined ? undefined : { etag } };
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
    emit({ event: 'warning', message: `${path}: ${error.message}; downloading it again` });
    return undefined;
  }
}

/**
 * Runs `read`; undefined if the file does not exist, because another run may have dropped it since the plan was created, or
 * if it is a pipe or a device, which could block forever.
 */
async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    if (isSystemError(error.cause) && error.cause.code === 'ENOENT') return undefined;
    if (error.code === 'missing' || error.code === 'unreadable') return undefined;
    throw error;
  }
}
