import { rm } from 'node:fs/promises';
import { abortReason, diskError, type ErrorCode, TickhaulError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import type { EventSink } from '../../run/events.js';
import type { Client } from '../../service/http/client.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { partPath, readResumeNote, removeResumeNote } from '../../store/part.js';
import { prepareParent } from '../../store/paths.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import { finalError, waitForTry } from '../../transfer/next-try.js';
import type { Pause } from '../../transfer/pause.js';
import type { Place } from '../../transfer/pool.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { Conversions, DayFileConversion } from '../conversion/conversions.js';
import type { PlannedFile } from '../types.js';
import { keep } from './keep.js';
import { receive } from './receive.js';
import type { Received } from './try.js';

/** What the transfers of one run share. */
export interface TransferContext {
  readonly client: Client;
  readonly destination: Destination;
  readonly manifest: Manifest;
  /** Makes part names private to this run, when another run works in the same folder. */
  readonly partSuffix: string | undefined;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  /** Undefined where nothing is to be converted. */
  readonly conversions: Conversions | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface Transferred {
  readonly record: ManifestRecord;
  readonly made: readonly ConversionEntry[];
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
 * Brings one day file to disk, then records it, with its conversion. A conversion that fails is not tried again:
 * the same bytes would fail again.
 * @throws TransferFailure.
 */
export async function transfer(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  onAnswer: () => void,
): Promise<Transferred> {
  const { received, attempts } = await receiveAtLast(context, planned, place, onAnswer);
  try {
    const record = await keep(context, recordOf(planned, received), received.outcome);
    return { record, made: received.outcome?.made ?? [], attempts };
  } catch (cause) {
    throw cause instanceof TickhaulError ? new TransferFailure(cause, attempts) : cause;
  }
}

/** Tries again as long as that can help and `retries` tries in a row brought nothing new. @throws TransferFailure. */
async function receiveAtLast(
  context: TransferContext,
  planned: PlannedFile,
  place: Place,
  onAnswer: () => void,
): Promise<{ readonly received: Received; readonly attempts: number }> {
  const { signal, emit } = context;
  const { path } = planned;
  let mostBytes = 0;
  let fruitless = 0;
  for (let attempt = 0; ; attempt++) {
    let progress = false;
    const onBytes = (received: number, position: number, total: number | undefined): void => {
      progress ||= position > mostBytes;
      mostBytes = Math.max(mostBytes, position);
      context.concurrency.quiet(performance.now(), false);
      emit({ event: 'progress', path, received, position, total });
    };
    try {
      await place.take();
      // It waits for memory before anything is asked for, so that no connection is kept waiting.
      const conversion = await context.conversions?.begin(planned, signal);
      try {
        await context.pause.passed(signal);
        const received = await tryOnce(context, planned, attempt, conversion, place, onAnswer, onBytes);
        context.concurrency.quiet(performance.now(), true);
        return { received, attempts: attempt + 1 };
      } finally {
        await conversion?.end();
      }
    } catch (cause) {
      if (signal.aborted) throw new TransferFailure(abortReason(signal), attempt + 1);
      if (!(cause instanceof TickhaulError)) throw cause;
      fruitless = progress ? 1 : fruitless + 1;
      const final = finalError(cause, fruitless, context);
      if (final) throw new TransferFailure(final, attempt + 1);
      place.leave();
      await waitForTry(cause, fruitless, {
        ...context,
        onRetry: (waitMs, error) => emit({ event: 'retry', path, attempt: attempt + 1, waitMs, error }),
        onPause: (waitMs, error) => emit({ event: 'pause', waitMs, error }),
      });
    }
  }
}

async function tryOnce(
  context: TransferContext,
  planned: PlannedFile,
  attempt: number,
  conversion: DayFileConversion | undefined,
  place: Place,
  onAnswer: () => void,
  onBytes: (received: number, position: number, total: number | undefined) => void,
): Promise<Received> {
  const { client, destination, rate, signal, partSuffix } = context;
  const dir = destination.locate('');
  const { file, path, expected } = planned;
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
      note: resumable && mayHaveNote(planned, attempt) ? await readResumeNote(dir, path) : undefined,
      expected,
      conversion,
      rate,
      signal,
      onAnswer: (announced) => {
        total = announced;
        onAnswer();
      },
      onBytes: (received, position) => onBytes(received, position, total),
      onBodyEnd: () => place.leave(),
    });
  } catch (error) {
    // Bytes that were proven bad are of no use to anybody; those of a run without a right to the name neither.
    const bad = error instanceof TickhaulError && BAD_BYTES.has(error.code);
    if (bad || !resumable) await discardPart(context, path, part, resumable);
    throw diskError(bad ? inFile(error, path) : error, target);
  }
}

const BAD_BYTES: ReadonlySet<ErrorCode> = new Set(['corrupt', 'changed']);

/** A plan that found no part is believed: looking for a note beside each takes time. */
function mayHaveNote({ status, action }: PlannedFile, attempt: number): boolean {
  return attempt > 0 || status === 'resume' || action !== 'fetch';
}

/** What is wrong with the bytes, with the file they are of. */
function inFile(error: TickhaulError, path: string): TickhaulError {
  return error.message.includes(path)
    ? error
    : new TickhaulError(error.code, `${path}: ${error.message}`, { cause: error });
}

async function discardPart(
  { destination }: TransferContext,
  path: string,
  part: string,
  noted: boolean,
): Promise<void> {
  await rm(part, { force: true }).catch(() => {});
  if (noted) await removeResumeNote(destination.locate(''), path).catch(() => {});
}

function recordOf({ file, path }: PlannedFile, { outcome: _, ...received }: Received): ManifestRecord {
  return { file, path, ...received, time: new Date().toISOString(), version: VERSION };
}
