import { TickhaulError } from '../../base/errors.js';
import { fileError } from '../../base/file-error.js';
import type { TurnTaking } from '../../base/turns.js';
import { secondsSince } from '../../base/units.js';
import { orAborted } from '../../base/wait.js';
import { formatDay } from '../../dataset/day.js';
import { isSameDayFile } from '../../dataset/day-file.js';
import type { FileEvent } from '../../run/events.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';
import type { Place } from '../../transfer/pool.js';
import { toldOutputs } from '../conversion/told-outputs.js';
import type { PlannedFile } from '../types.js';
import { type FoundOnDisk, lookOnDisk } from './on-disk.js';
import { TransferFailure, transfer } from './transfer.js';
import type { TransferContext } from './transfer-context.js';

/** What came of a file, and why it failed where it did. */
export interface Settled {
  readonly event: FileEvent;
  /** Events of what was made of it, where that is told by itself. */
  readonly made?: readonly FileEvent[];
  readonly reason?: TickhaulError;
}

/**
 * Does what the plan says for one file: looks at what is on disk, or fetches it, or both.
 * @param onAnswer told as soon as the service answered with the file.
 * @returns undefined when the run was broken off before the file was done.
 */
export async function settle(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  onAnswer: () => void,
): Promise<Settled | undefined> {
  const started = performance.now();
  const { file, path } = planned;
  if (context.signal.aborted) return undefined;
  try {
    refuseTakenPath(context, planned);
    const found = planned.action === 'fetch' ? undefined : await lookOnDisk(context, planned, place);
    const brought = found ?? (await fetchFile(context, planned, place, onAnswer));
    return tellOf(context, planned, brought, secondsSince(started));
  } catch (cause) {
    if (context.signal.aborted) return undefined;
    const reason = cause instanceof TransferFailure ? cause.reason : cause;
    if (!(reason instanceof TickhaulError)) throw cause;
    const attempts = cause instanceof TransferFailure ? cause.attempts : 0;
    const base = { event: 'file', file, path, attempts, seconds: secondsSince(started) } as const;
    const absent = reason.code === 'unavailable' && planned.mayBeAbsent;
    if (absent) return { event: { ...base, status: 'unavailable' } };
    const outputs = toldOutputs(planned.outputs, context.conversions);
    return { event: { ...base, status: 'failed', ...outputs, error: fileError(reason) }, reason };
  }
}

/** What several runs in one folder know of each other. */
export interface Underway {
  /** By path, what one of them brings just now; undefined where it was broken off. */
  readonly underway: Map<string, Promise<Settled | undefined>>;
  /** By path, where other processes bring files into the folder too. */
  readonly turns?: TurnTaking | undefined;
}

/**
 * Does the same where other runs of this process may do it at the same time: what one of them brings, or can't, is as
 * good for the others. When it is broken off, one of those goes on.
 */
export async function settleOnce(
  { underway, turns }: Underway,
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  onAnswer: () => void,
): Promise<Settled | undefined> {
  const { path } = planned;
  const { signal } = context;
  for (let other = underway.get(path); other; other = underway.get(path)) {
    // It may need the place for its next try.
    place.leave();
    const settled = await orAborted(other, signal).catch(() => undefined);
    if (signal.aborted || settled) return settled;
    await place.take();
  }
  // Who has the turn, in whatever process, may need the place for its next try.
  if (turns) place.leave();
  const now = async (): Promise<Settled | undefined> => {
    const isToCheck = await mayHaveCome(context, planned);
    return settle(context, isToCheck ? { ...planned, action: 'check' } : planned, place, onAnswer);
  };
  const settling = turns ? inTurn(turns, path, signal, now) : now();
  underway.set(path, settling);
  try {
    return await settling;
  } finally {
    if (underway.get(path) === settling) underway.delete(path);
  }
}

/** Whether it may have come since the plan was made. */
async function mayHaveCome(
  { destination, manifest, signal }: TransferContext,
  { path, action, outputs }: PlannedFile,
): Promise<boolean> {
  if (action !== 'fetch' || outputs.length > 0 || manifest.get(path)) return true;
  // That is quicker than to find nothing to prove, and no part to go on with: of small files there are thousands.
  const { files, locate } = destination;
  return files.look(locate(path), signal).then(
    (facts) => facts !== undefined,
    // Whatever it is, the check meets it too, and tells.
    () => true,
  );
}

async function inTurn(
  turns: TurnTaking,
  path: string,
  signal: AbortSignal,
  work: () => Promise<Settled | undefined>,
): Promise<Settled | undefined> {
  try {
    return await turns.run(path, signal, work);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function refuseTakenPath({ manifest }: TransferContext, { file, path }: PlannedFile): void {
  const owner = manifest.get(path)?.file;
  if (!owner || isSameDayFile(owner, file)) return;
  throw new TickhaulError(
    'path_taken',
    `${path}: holds ${owner.exchange} ${owner.dataType} ${owner.symbol} of ${formatDay(owner.day)}; choose another --layout or --dir`,
  );
}

/** A day file that stands on disk, and what was made of it now. */
interface Brought {
  readonly status: 'downloaded' | FoundOnDisk['status'];
  readonly record: ManifestRecord;
  readonly made: readonly ConversionEntry[];
  readonly attempts?: number | undefined;
}

async function fetchFile(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  onAnswer: () => void,
): Promise<Brought> {
  context.emit({ event: 'start', file: planned.file, path: planned.path });
  return { status: 'downloaded', ...(await transfer(context, planned, place, onAnswer)) };
}

/**
 * With `--as`, each output is told besides its day file. Without, the conversion of a file that was there already is
 * told in its place.
 */
function tellOf(
  { conversions }: TransferContext,
  { file, path, outputs }: PlannedFile,
  { status, record, made, attempts }: Brought,
  seconds: number,
): Settled {
  const { bytes, md5, md5Match, rows } = record;
  const base = { event: 'file', file, seconds } as const;
  const known = { bytes, md5, md5Match, rows, attempts };
  const event: FileEvent = { ...base, status, path, ...toldOutputs(outputs, conversions), ...known };
  const converted = made.map(
    (entry): FileEvent => ({
      ...base,
      status: 'converted',
      path: entry.path,
      source: record.path,
      bytes: entry.bytes,
      rows: entry.rows,
    }),
  );
  if (conversions?.wanted) return { event, made: converted };
  return { event: (status === 'downloaded' ? undefined : converted[0]) ?? event };
}
