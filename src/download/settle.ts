import { resolve } from 'node:path';
import { formatDay } from '../dataset/day.js';
import { type DayFile, isSameDayFile } from '../dataset/day-file.js';
import { abortReason, TickhaulError } from '../errors.js';
import type { FileEvent } from '../events.js';
import { fileError } from '../file-error.js';
import { type Proof, proveFile } from '../integrity/proof.js';
import type { ManifestRecord } from '../store/types.js';
import { VERSION } from '../version.js';
import { type TransferContext, TransferFailure, transfer } from './transfer.js';
import type { PlannedFile } from './types.js';

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
  onAnswer: () => void,
): Promise<Settled | undefined> {
  const started = performance.now();
  const { file, path } = planned;
  const base = { event: 'file', file, path } as const;
  const seconds = (): number => Math.round(performance.now() - started) / 1000;
  try {
    refuseTakenPath(context, planned);
    const kept = planned.action === 'fetch' ? undefined : await checkOnDisk(context, planned);
    if (kept) return { event: { ...base, status: 'verified', ...told(kept), seconds: seconds() } };
    context.emit({ event: 'start', file, path });
    const { record, attempts } = await transfer(context, file, path, onAnswer);
    return { event: { ...base, status: 'downloaded', ...told(record), attempts, seconds: seconds() } };
  } catch (cause) {
    if (context.signal.aborted) return undefined;
    const reason = cause instanceof TransferFailure ? cause.reason : cause;
    if (!(reason instanceof TickhaulError)) throw cause;
    const attempts = cause instanceof TransferFailure ? cause.attempts : 0;
    const absent = reason.code === 'unavailable' && planned.mayBeAbsent;
    if (absent) return { event: { ...base, status: 'unavailable', attempts, seconds: seconds() } };
    const error = fileError(reason);
    return { event: { ...base, status: 'failed', attempts, seconds: seconds(), error }, reason };
  }
}

/** The record of a file that stands on disk whole; undefined when it is to be fetched. */
async function checkOnDisk(
  context: TransferContext,
  planned: PlannedFile,
): Promise<ManifestRecord | undefined> {
  const { manifest, dir, signal } = context;
  const { file, path } = planned;
  const record = manifest.get(path);
  const proof = await proveOnDisk(context, path, resolve(dir, path));
  if (!proof) return undefined;
  if (!record) {
    const adopted = adoptedRecord(file, path, proof);
    await manifest.append(adopted);
    return adopted;
  }
  if (record.sha256 === proof.sha256) return record;
  if (signal.aborted) throw abortReason(signal);
  context.emit({
    event: 'warning',
    message: `${path}: its sha256 is not the one recorded when it was downloaded; downloading it again`,
  });
  return undefined;
}

async function proveOnDisk(
  { emit, signal }: TransferContext,
  path: string,
  target: string,
): Promise<Proof | undefined> {
  try {
    return await proveFile(target, signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
    emit({ event: 'warning', message: `${path}: ${error.message}; downloading it again` });
    return undefined;
  }
}

function adoptedRecord(file: DayFile, path: string, proof: Proof): ManifestRecord {
  return { file, path, ...proof, md5Match: null, time: new Date().toISOString(), version: VERSION };
}

function refuseTakenPath({ manifest }: TransferContext, { file, path }: PlannedFile): void {
  const owner = manifest.get(path)?.file;
  if (!owner || isSameDayFile(owner, file)) return;
  throw new TickhaulError(
    'path_taken',
    `${path}: holds ${owner.exchange} ${owner.dataType} ${owner.symbol} of ${formatDay(owner.day)}; choose another --layout or --dir`,
  );
}

function told({ bytes, md5, md5Match, rows }: ManifestRecord): Partial<FileEvent> {
  return { bytes, md5, md5Match, rows };
}
