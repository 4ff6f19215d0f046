import { TickhaulError } from '../../base/errors.js';
import { fileError } from '../../base/file-error.js';
import { secondsSince } from '../../base/units.js';
import { formatDay } from '../../dataset/day.js';
import { isSameDayFile } from '../../dataset/day-file.js';
import type { FileEvent } from '../../run/events.js';
import type { ManifestRecord } from '../../store/types.js';
import type { Place } from '../../transfer/pool.js';
import type { PlannedFile } from '../types.js';
import { type FoundOnDisk, lookOnDisk } from './on-disk.js';
import { type TransferContext, TransferFailure, transfer } from './transfer.js';

/** What came of a file, and why it failed where it did. */
export interface Settled {
  readonly event: FileEvent;
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
  const { file, path, output } = planned;
  const base = { event: 'file', file, path } as const;
  try {
    refuseTakenPath(context, planned);
    const found = planned.action === 'fetch' ? undefined : await lookOnDisk(context, planned);
    if (found) return { event: { ...base, ...foundEvent(found, output), seconds: secondsSince(started) } };
    context.emit({ event: 'start', file, path });
    const { record, attempts } = await transfer(context, planned, place, onAnswer);
    const done = { ...told(record), output, attempts, seconds: secondsSince(started) };
    return { event: { ...base, status: 'downloaded', ...done } };
  } catch (cause) {
    if (context.signal.aborted) return undefined;
    const reason = cause instanceof TransferFailure ? cause.reason : cause;
    if (!(reason instanceof TickhaulError)) throw cause;
    const attempts = cause instanceof TransferFailure ? cause.attempts : 0;
    const absent = reason.code === 'unavailable' && planned.mayBeAbsent;
    if (absent)
      return { event: { ...base, status: 'unavailable', attempts, seconds: secondsSince(started) } };
    const error = fileError(reason);
    const failed = { status: 'failed', output, attempts, seconds: secondsSince(started), error } as const;
    return { event: { ...base, ...failed }, reason };
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

/** A conversion is told by its output; all else by the day file, with its output where there is one. */
function foundEvent(
  { status, record }: FoundOnDisk,
  output: string | undefined,
): Pick<FileEvent, 'status'> & Partial<FileEvent> {
  const made = record.conversions?.find(({ path }) => path === output);
  if (status !== 'converted' || !made) return { status, ...told(record), output };
  return { status, path: made.path, source: record.path, bytes: made.bytes, rows: made.rows };
}

function told({ bytes, md5, md5Match, rows }: ManifestRecord): Partial<FileEvent> {
  return { bytes, md5, md5Match, rows };
}
