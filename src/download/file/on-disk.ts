import { abortReason, isSystemError, TickhaulError } from '../../base/errors.js';
import { hashFile } from '../../integrity/file-hash.js';
import type { TextSink } from '../../integrity/gunzip.js';
import { type Proof, proveFile } from '../../integrity/proof.js';
import { provenRecord } from '../../store/manifest/proven-record.js';
import type { StoredAs } from '../../store/s3/object-store.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';
import type { Place } from '../../transfer/pool.js';
import { conversionOf, optionsEntry } from '../conversion/conversion-entry.js';
import type { PlannedFile, PlannedOutput } from '../types.js';
import { drop, keep } from './keep.js';
import { takeMemory } from './take-memory.js';
import type { TransferContext } from './transfer-context.js';

/** A day file that needed no download. */
export interface FoundOnDisk {
  readonly status: 'verified' | 'skipped';
  readonly record: ManifestRecord;
  /** What was made of it now. */
  readonly made: readonly ConversionEntry[];
}

/**
 * Reads what stands on disk, converts it where that is missing, and deletes a CSV that was to be dropped.
 * @returns undefined when the file is to be fetched.
 * @throws TickhaulError also why the conversion of a whole file failed.
 */
export async function lookOnDisk(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
): Promise<FoundOnDisk | undefined> {
  const { conversions } = context;
  const { outputs, action } = planned;
  const record = context.manifest.get(planned.path);
  const missing = record ? await missingOutputs(context, planned, record) : outputs;
  if (!record || missing.length > 0 || outputs.length === 0 || conversions?.keepCsv !== false) {
    return provenOnDisk(context, { ...planned, outputs: missing }, place, record);
  }
  await drop({ ...context, place }, record);
  return { status: action === 'drop' ? 'skipped' : 'verified', record, made: [] };
}

/** What is still to be made of a day file: all that isn't recorded, or isn't the same any more, to the byte. */
async function missingOutputs(
  context: TransferContext,
  { outputs, expected }: PlannedFile,
  record: ManifestRecord,
): Promise<readonly PlannedOutput[]> {
  const { conversions } = context;
  if (!conversions || (expected && expected.sha256 !== record.sha256)) return outputs;
  const options = optionsEntry(conversions.options);
  const missing: PlannedOutput[] = [];
  for (const output of outputs) {
    const entry = conversionOf(record, output, options);
    if (!entry || !(await isIntact(context, entry))) missing.push(output);
  }
  return missing;
}

async function isIntact(
  { destination, emit, signal }: TransferContext,
  entry: ConversionEntry,
): Promise<boolean> {
  const { files } = destination;
  const made = destination.locate(entry.path);
  const sha256 = await ifThere(() => hashFile(made, 'sha256', signal, files.read));
  if (sha256 !== undefined && sha256 !== entry.sha256) {
    emit({ event: 'warning', message: `${entry.path}: its sha256 is not the recorded one; making it again` });
  }
  return sha256 === entry.sha256;
}

/** @param planned with those outputs that are still to be made. */
async function provenOnDisk(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  record: ManifestRecord | undefined,
): Promise<FoundOnDisk | undefined> {
  const { conversions, emit, signal } = context;
  const { file, path } = planned;
  const giveBack = await takeMemory(context, planned, place, false);
  const conversion = conversions?.begin(planned);
  try {
    const isNamed = record !== undefined || planned.expected !== undefined;
    const found = await proveOnDisk(
      context,
      path,
      conversion?.textSink(),
      isNamed ? undefined : file.dataType,
    );
    if (!found) return undefined;
    const { proof, object } = found;
    const right = planned.expected ?? record;
    if (right && right.sha256 !== proof.sha256) {
      if (signal.aborted) throw abortReason(signal);
      const named = planned.expected ? 'that the lock file names' : 'recorded when it was downloaded';
      emit({
        event: 'warning',
        message: `${path}: its sha256 is not the one ${named}; downloading it again`,
      });
      return undefined;
    }
    const known = record?.sha256 === proof.sha256 ? record : undefined;
    const isSame = known?.object?.etag === object?.etag;
    if (known && isSame && !conversion && !known.dropped)
      return { status: 'verified', record: known, made: [] };
    const outcome = await conversion?.finish(proof);
    // The record may wait for others.
    giveBack();
    const proven = known ?? provenRecord(file, path, proof);
    const standing = isSame || !object ? proven : { ...proven, object };
    const kept = await keep({ ...context, place }, standing, outcome);
    return { status: 'verified', record: kept, made: outcome?.made ?? [] };
  } finally {
    await conversion?.end();
    giveBack();
  }
}

/** @param dataType of a file whose bytes nobody recorded: its beginning has to be that of such a day file. */
async function proveOnDisk(
  { destination, emit, signal }: TransferContext,
  path: string,
  sink: TextSink | undefined,
  dataType: string | undefined,
): Promise<{ readonly proof: Proof; readonly object: StoredAs | undefined } | undefined> {
  const { files } = destination;
  const source = destination.locate(path);
  // Few runs need it.
  const checks = dataType === undefined ? undefined : await import('../../format/csv/start-check.js');
  const start = checks?.createStartCheck(path, dataType ?? '');
  const onText: TextSink = (text) => {
    start?.push(text);
    return sink?.(text);
  };
  try {
    const etag = (await files.look(source, signal))?.etag;
    const proof = await ifThere(() =>
      proveFile(source, signal, { onText: start ? onText : sink, read: files.read }),
    );
    if (proof) start?.end();
    return proof && { proof, object: etag === undefined ? undefined : { etag } };
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
    const what = error.message.startsWith(path)
      ? error.message
      : `${path}: ${error.message}; downloading it again`;
    emit({ event: 'warning', message: what });
    return undefined;
  }
}

/**
 * Undefined where there is no such file: another run may have dropped it since the plan was made. Nor is a pipe or
 * a device one: reading it may never end.
 */
async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    if (isSystemError(error.cause) && error.cause.code === 'ENOENT') return undefined;
    if (error.code === 'missing' || error.code === 'unreadable') return undefined;
    throw error;
  }
}
