import { rm } from 'node:fs/promises';
import type { DayFile } from '../dataset/day-file.js';
import { abortReason, diskError, TickhaulError } from '../errors.js';
import type { EventSink } from '../events.js';
import { fileError } from '../file-error.js';
import { retryDelayMs } from '../service/backoff.js';
import type { Client } from '../service/client.js';
import type { Manifest } from '../store/manifest.js';
import { partPath, readResumeNote, removeResumeNote } from '../store/part.js';
import { prepareParent } from '../store/paths.js';
import type { ManifestRecord } from '../store/types.js';
import { VERSION } from '../version.js';
import { wait } from '../wait.js';
import type { Concurrency } from './concurrency.js';
import type { Pause } from './pause.js';
import type { RateLimit } from './rate.js';
import { type Received, receive } from './receive.js';

/** What the transfers of one run share. */
export interface TransferContext {
  readonly client: Client;
  /** Download folder. */
  readonly dir: string;
  readonly manifest: Manifest;
  /** Makes part names private to this run, when another run works in the same folder. */
  readonly partSuffix: string | undefined;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface Transferred {
  readonly record: ManifestRecord;
  readonly attempts: number;
}

/** A failure, with the number of tries that were made. */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
  readonly attempts: number;
  readonly reason: TickhaulError;

  constructor(reason: TickhaulError, attempts: number) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.attempts = attempts;
  }
}

/**
 * Brings one day file to disk, trying again as long as that can help and `retries` tries in a row brought
 * nothing new; then records it.
 * @throws TransferFailure.
 */
export async function transfer(
  context: TransferContext,
  file: DayFile,
  path: string,
  onAnswer: () => void,
): Promise<Transferred> {
  const { signal, pause, emit } = context;
  let mostBytes = 0;
  let fruitless = 0;
  for (let attempt = 0; ; attempt++) {
    let progress = false;
    const onBytes = (received: number, position: number, total: number | undefined): void => {
      progress ||= position > mostBytes;
      mostBytes = Math.max(mostBytes, position);
      context.concurrency.quiet(Date.now(), false);
      emit({ event: 'progress', path, received, position, total });
    };
    try {
      await pause.passed(signal);
      const received = await tryOnce(context, file, path, attempt, onAnswer, onBytes);
      context.concurrency.quiet(Date.now(), true);
      const record = recordOf(file, path, received);
      await context.manifest.append(record);
      return { record, attempts: attempt + 1 };
    } catch (cause) {
      if (signal.aborted) throw new TransferFailure(abortReason(signal), attempt + 1);
      if (!(cause instanceof TickhaulError)) throw cause;
      fruitless = progress ? 1 : fruitless + 1;
      const asked = cause.retryAfterMs ?? 0;
      if (!cause.retry || fruitless > context.retries || asked > context.maxWaitMs) {
        throw new TransferFailure(tooLong(cause, context.maxWaitMs), attempt + 1);
      }
      await waitBeforeRetry(context, path, attempt, fruitless, cause);
    }
  }
}

async function tryOnce(
  context: TransferContext,
  file: DayFile,
  path: string,
  attempt: number,
  onAnswer: () => void,
  onBytes: (received: number, position: number, total: number | undefined) => void,
): Promise<Received> {
  const { client, dir, rate, signal, partSuffix } = context;
  const target = await prepareParent(dir, path);
  const part = partPath(target, partSuffix);
  const resumable = partSuffix === undefined;
  let total: number | undefined;
  try {
    return await receive({
      client,
      file,
      dir,
      path,
      target,
      part,
      attempt,
      resumable,
      note: resumable ? await readResumeNote(dir, path) : undefined,
      rate,
      signal,
      onAnswer: (announced) => {
        total = announced;
        onAnswer();
      },
      onBytes: (received, position) => onBytes(received, position, total),
    });
  } catch (error) {
    // Bytes that were proven bad are of no use to anybody; those of a run without a right to the name neither.
    const bad = error instanceof TickhaulError && error.code === 'corrupt';
    if (bad || !resumable) await discardPart(context, path, part, resumable);
    throw diskError(bad ? inFile(error, path) : error, target);
  }
}

/** What is wrong with the bytes, with the file they are of. */
function inFile(error: TickhaulError, path: string): TickhaulError {
  return error.message.includes(path)
    ? error
    : new TickhaulError(error.code, `${path}: ${error.message}`, { cause: error });
}

async function discardPart(
  { dir }: TransferContext,
  path: string,
  part: string,
  noted: boolean,
): Promise<void> {
  await rm(part, { force: true }).catch(() => {});
  if (noted) await removeResumeNote(dir, path).catch(() => {});
}

async function waitBeforeRetry(
  { pause, concurrency, emit, signal }: TransferContext,
  path: string,
  attempt: number,
  fruitless: number,
  cause: TickhaulError,
): Promise<void> {
  if (cause.code === 'rate_limited') concurrency.trouble(Date.now(), 'rate');
  if (cause.code === 'reset' || cause.code === 'stalled') concurrency.trouble(Date.now(), 'broken');
  const waitMs = Math.max(cause.retryAfterMs ?? 0, retryDelayMs(fruitless, Math.random()));
  const error = fileError(cause);
  emit({ event: 'retry', path, attempt: attempt + 1, waitMs, error });
  if (cause.everyone) {
    if (pause.hold(waitMs)) emit({ event: 'pause', waitMs, error });
  } else await wait(waitMs, signal).catch(() => {});
}

function tooLong(cause: TickhaulError, maxWaitMs: number): TickhaulError {
  if (!cause.retry || (cause.retryAfterMs ?? 0) <= maxWaitMs) return cause;
  const seconds = Math.ceil((cause.retryAfterMs ?? 0) / 1000);
  return new TickhaulError(
    cause.code,
    `${cause.message}; the wait of ${seconds}s is longer than --max-wait`,
    {
      status: cause.status,
      retryAfterMs: cause.retryAfterMs,
      cause,
    },
  );
}

function recordOf(
  file: DayFile,
  path: string,
  { bytes, md5, sha256, md5Match, rows, etag }: Received,
): ManifestRecord {
  return {
    file,
    path,
    bytes,
    md5,
    sha256,
    md5Match,
    rows,
    etag,
    time: new Date().toISOString(),
    version: VERSION,
  };
}
