import { TickhaulError, toFileError } from '../../base/errors.js';
import type { KeyedMutex } from '../../base/semaphore.js';
import { secondsSince } from '../../base/units.js';
import { rejectOnAbort } from '../../base/wait.js';
import { formatDay } from '../../day-files/day.js';
import { isSameDayFile } from '../../day-files/day-file.js';
import type { FileEvent } from '../../events/run-events.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import type { ConversionEntry, ManifestRecord } from '../../store/manifest-record.js';
import type { PlannedFile } from '../download-options.js';
import { reportedOutputs } from '../plan/planned-paths.js';
import type { DownloadContext, FileResult, TransferContext } from '../shared-run.js';
import { type ExistingFile, processExistingFile } from './existing-file.js';
import { TransferError, transferFile } from './transfer-file.js';

/**
 * Processes a file as planned: checks the existing file, downloads it, or both.
 * @returns undefined if the run was aborted before the file was finished.
 */
async function processFile(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
): Promise<FileResult | undefined> {
  const startedAtMs = performance.now();
  const { file, path } = planned;
  if (context.signal.aborted) return undefined;
  try {
    assertPathAvailable(context, planned);
    const existing =
      planned.action === 'fetch' ? undefined : await processExistingFile(context, planned, slot);
    const completed = existing ?? (await downloadFile(context, planned, slot));
    return createSuccessResult(context, planned, completed, secondsSince(startedAtMs));
  } catch (cause) {
    if (context.signal.aborted) return undefined;
    const reason = cause instanceof TransferError ? cause.reason : cause;
    if (!(reason instanceof TickhaulError)) throw cause;
    const attempts = cause instanceof TransferError ? cause.attempts : 0;
    const base = { event: 'file', file, path, attempts, seconds: secondsSince(startedAtMs) } as const;
    const isAbsent = reason.code === 'unavailable' && planned.mayBeAbsent;
    if (isAbsent) return { event: { ...base, status: 'unavailable' } };
    const outputs = reportedOutputs(planned.outputs, context.work.conversions);
    return { event: { ...base, status: 'failed', ...outputs, error: toFileError(reason) }, reason };
  }
}

/**
 * Like `processFile`, for a file that another run or job may be processing: waits for that, and uses the result of a run
 * that does the same with it, success or failure, or else checks the file. If the other run is aborted, this one takes
 * the file over.
 */
export async function processFileOnce(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
  { sharesFolder, jobsStartedMs }: Pick<DownloadContext, 'sharesFolder' | 'jobsStartedMs'>,
): Promise<FileResult | undefined> {
  const { path } = planned;
  const {
    limits: { filesInFlight, pathMutex },
    signal,
  } = context;
  let hasWaited = false;
  for (let other = filesInFlight.get(path); other; other = filesInFlight.get(path)) {
    hasWaited = true;
    // Avoid a deadlock: the other run may need the slot for its next attempt.
    slot.release();
    const result = await rejectOnAbort(other, signal).catch(() => undefined);
    if (signal.aborted || (sharesFolder && result)) return result;
    await slot.acquire();
  }
  // The holder of the lock, in any process, may need the slot for its next attempt.
  if (pathMutex) slot.release();
  const processNow = async (): Promise<FileResult | undefined> => {
    const needsCheck =
      hasWaited ||
      isRecordedSince(context, path, jobsStartedMs) ||
      (sharesFolder && (await mayExist(context, planned)));
    return processFile(context, needsCheck ? { ...planned, action: 'check' } : planned, slot);
  };
  const processing = pathMutex ? runLocked(pathMutex, path, signal, processNow) : processNow();
  filesInFlight.set(path, processing);
  try {
    return await processing;
  } finally {
    if (filesInFlight.get(path) === processing) filesInFlight.delete(path);
  }
}

/** Whether another job has downloaded the file since this run started. */
function isRecordedSince(
  { place: { manifest } }: TransferContext,
  path: string,
  startMs: number | undefined,
): boolean {
  const record = startMs === undefined ? undefined : manifest.get(path);
  return record !== undefined && startMs !== undefined && Date.parse(record.time) >= startMs;
}

/** Whether the file may exist by now, although the plan did not find it. */
async function mayExist(
  { place: { destination, manifest }, signal }: TransferContext,
  { path, action, outputs }: PlannedFile,
): Promise<boolean> {
  if (action !== 'fetch' || outputs.length > 0 || manifest.get(path)) return true;
  // Faster than a check that finds neither a file nor a part file, which matters for thousands of small
  // files.
  const { files, locate } = destination;
  return files.stat(locate(path), signal).then(
    (facts) => facts !== undefined,
    // Ignore errors here: the check reports the same error with context.
    () => true,
  );
}

async function runLocked(
  pathMutex: KeyedMutex,
  path: string,
  signal: AbortSignal,
  work: () => Promise<FileResult | undefined>,
): Promise<FileResult | undefined> {
  try {
    return await pathMutex.runExclusive(path, signal, work);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function assertPathAvailable({ place: { manifest } }: TransferContext, { file, path }: PlannedFile): void {
  const owner = manifest.get(path)?.file;
  if (!owner || isSameDayFile(owner, file)) return;
  throw new TickhaulError(
    'path_taken',
    `${path}: holds ${owner.exchange} ${owner.dataType} ${owner.symbol} of ${formatDay(owner.day)}; choose another --layout or --dir`,
  );
}

/** A day file in the destination, and the conversions written now. */
interface CompletedFile {
  readonly status: 'downloaded' | ExistingFile['status'];
  readonly record: ManifestRecord;
  readonly newConversions: readonly ConversionEntry[];
  readonly attempts?: number | undefined;
}

async function downloadFile(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
): Promise<CompletedFile> {
  context.emit({ event: 'start', file: planned.file, path: planned.path });
  return { status: 'downloaded', ...(await transferFile(context, planned, slot)) };
}

/**
 * With `--as`, each output is reported in addition to its day file. Otherwise, the conversion of an existing file is
 * reported instead of the file.
 */
function createSuccessResult(
  { work: { conversions } }: TransferContext,
  { file, path, outputs }: PlannedFile,
  { status, record, newConversions, attempts }: CompletedFile,
  seconds: number,
): FileResult {
  const { bytes, md5, md5Match, rows } = record;
  const base = { event: 'file', file, seconds } as const;
  const details = { bytes, md5, md5Match, rows, attempts };
  const event: FileEvent = { ...base, status, path, ...reportedOutputs(outputs, conversions), ...details };
  const converted = newConversions.map(
    (entry): FileEvent => ({
      ...base,
      status: 'converted',
      path: entry.path,
      source: record.path,
      bytes: entry.bytes,
      rows: entry.rows,
    }),
  );
  if (conversions?.outputSelection) return { event, conversionEvents: converted };
  return { event: (status === 'downloaded' ? undefined : converted[0]) ?? event };
}
