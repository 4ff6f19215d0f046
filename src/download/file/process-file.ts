import { TickhaulError } from '../../base/errors.js';
import { toFileError } from '../../base/file-error.js';
import type { KeyedMutex } from '../../base/keyed-mutex.js';
import { secondsSince } from '../../base/units.js';
import { rejectOnAbort } from '../../base/wait.js';
import { formatDay } from '../../dataset/day.js';
import { isSameDayFile } from '../../dataset/day-file.js';
import type { FileEvent } from '../../run/run-events.js';
import type { ConversionEntry, ManifestRecord } from '../../store/manifest-record.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import { reportedOutputs } from '../conversion/reported-outputs.js';
import type { PlannedFile } from '../download-options.js';
import { type ExistingFile, processExistingFile } from './existing-file.js';
import type { TransferContext } from './transfer-context.js';
import { TransferError, transferFile } from './transfer-file.js';

/** What came of a file, and why it failed where it did. */
export interface FileResult {
  readonly event: FileEvent;
  /** Events of what was made of it, where that is told by itself. */
  readonly conversionEvents?: readonly FileEvent[];
  readonly reason?: TickhaulError;
}

/**
 * Does what the plan says for one file: looks at what is on disk, or fetches it, or both.
 * @param onAnswer told as soon as the service answered with the file.
 * @returns undefined when the run was broken off before the file was done.
 */
export async function processFile(
  context: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  onAnswer: () => void,
): Promise<FileResult | undefined> {
  const started = performance.now();
  const { file, path } = planned;
  if (context.signal.aborted) return undefined;
  try {
    assertPathAvailable(context, planned);
    const found = planned.action === 'fetch' ? undefined : await processExistingFile(context, planned, place);
    const brought = found ?? (await downloadFile(context, planned, place, onAnswer));
    return createSuccessResult(context, planned, brought, secondsSince(started));
  } catch (cause) {
    if (context.signal.aborted) return undefined;
    const reason = cause instanceof TransferError ? cause.reason : cause;
    if (!(reason instanceof TickhaulError)) throw cause;
    const attempts = cause instanceof TransferError ? cause.attempts : 0;
    const base = { event: 'file', file, path, attempts, seconds: secondsSince(started) } as const;
    const absent = reason.code === 'unavailable' && planned.mayBeAbsent;
    if (absent) return { event: { ...base, status: 'unavailable' } };
    const outputs = reportedOutputs(planned.outputs, context.conversions);
    return { event: { ...base, status: 'failed', ...outputs, error: toFileError(reason) }, reason };
  }
}

/** What several runs in one folder know of each other. */
export interface FolderCoordination {
  /** By path, what one of them brings just now; undefined where it was broken off. */
  readonly filesInFlight: Map<string, Promise<FileResult | undefined>>;
  /** By path, where other processes bring files into the folder too. */
  readonly pathMutex?: KeyedMutex | undefined;
}

/**
 * Does the same where other runs of this process may do it at the same time: what one of them brings, or can't, is as
 * good for the others. When it is broken off, one of those goes on.
 */
export async function processFileOnce(
  { filesInFlight, pathMutex }: FolderCoordination,
  context: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  onAnswer: () => void,
): Promise<FileResult | undefined> {
  const { path } = planned;
  const { signal } = context;
  for (let other = filesInFlight.get(path); other; other = filesInFlight.get(path)) {
    // It may need the place for its next try.
    place.release();
    const settled = await rejectOnAbort(other, signal).catch(() => undefined);
    if (signal.aborted || settled) return settled;
    await place.acquire();
  }
  // Who has the turn, in whatever process, may need the place for its next try.
  if (pathMutex) place.release();
  const now = async (): Promise<FileResult | undefined> => {
    const isToCheck = await mayExist(context, planned);
    return processFile(context, isToCheck ? { ...planned, action: 'check' } : planned, place, onAnswer);
  };
  const settling = pathMutex ? runLocked(pathMutex, path, signal, now) : now();
  filesInFlight.set(path, settling);
  try {
    return await settling;
  } finally {
    if (filesInFlight.get(path) === settling) filesInFlight.delete(path);
  }
}

/** Whether it may have come since the plan was made. */
async function mayExist(
  { destination, manifest, signal }: TransferContext,
  { path, action, outputs }: PlannedFile,
): Promise<boolean> {
  if (action !== 'fetch' || outputs.length > 0 || manifest.get(path)) return true;
  // That is quicker than to find nothing to prove, and no part to go on with: of small files there are thousands.
  const { files, locate } = destination;
  return files.stat(locate(path), signal).then(
    (facts) => facts !== undefined,
    // Whatever it is, the check meets it too, and tells.
    () => true,
  );
}

async function runLocked(
  turns: KeyedMutex,
  path: string,
  signal: AbortSignal,
  work: () => Promise<FileResult | undefined>,
): Promise<FileResult | undefined> {
  try {
    return await turns.runExclusive(path, signal, work);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function assertPathAvailable({ manifest }: TransferContext, { file, path }: PlannedFile): void {
  const owner = manifest.get(path)?.file;
  if (!owner || isSameDayFile(owner, file)) return;
  throw new TickhaulError(
    'path_taken',
    `${path}: holds ${owner.exchange} ${owner.dataType} ${owner.symbol} of ${formatDay(owner.day)}; choose another --layout or --dir`,
  );
}

/** A day file that stands on disk, and what was made of it now. */
interface CompletedFile {
  readonly status: 'downloaded' | ExistingFile['status'];
  readonly record: ManifestRecord;
  readonly newConversions: readonly ConversionEntry[];
  readonly attempts?: number | undefined;
}

async function downloadFile(
  context: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  onAnswer: () => void,
): Promise<CompletedFile> {
  context.emit({ event: 'start', file: planned.file, path: planned.path });
  return { status: 'downloaded', ...(await transferFile(context, planned, place, onAnswer)) };
}

/**
 * With `--as`, each output is told besides its day file. Without, the conversion of a file that was there already is
 * told in its place.
 */
function createSuccessResult(
  { conversions }: TransferContext,
  { file, path, outputs }: PlannedFile,
  { status, record, newConversions, attempts }: CompletedFile,
  seconds: number,
): FileResult {
  const { bytes, md5, md5Match, rows } = record;
  const base = { event: 'file', file, seconds } as const;
  const known = { bytes, md5, md5Match, rows, attempts };
  const event: FileEvent = { ...base, status, path, ...reportedOutputs(outputs, conversions), ...known };
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
