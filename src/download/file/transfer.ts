import { abortReason, diskError, TickhaulError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import type { ConversionEntry, ManifestRecord } from '../../store/types.js';
import { finalError, waitForTry } from '../../transfer/next-try.js';
import type { Place } from '../../transfer/pool.js';
import type { PlannedFile } from '../types.js';
import { FolderReception } from './folder-reception.js';
import { keep, keepMade } from './keep.js';
import { receive } from './receive.js';
import { StoreReception } from './store-reception.js';
import type { TransferContext } from './transfer-context.js';
import { isOfBadBytes, type Received, type Reception } from './try.js';

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
 * Brings one day file to its destination, then records it, with its conversion. A conversion that fails is not tried
 * again: the same bytes would fail again.
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
    const { outcome } = received;
    const proven = recordOf(planned, received);
    const record = received.isUnwritten
      ? await keepMade({ ...context, place }, proven, outcome, mayStand(planned))
      : await keep({ ...context, place }, proven, outcome);
    return { record, made: outcome?.made ?? [], attempts };
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
  const { destination, signal, emit } = context;
  const { path } = planned;
  const reception =
    destination.kind === 'folder'
      ? new FolderReception(context, planned)
      : new StoreReception(context, planned);
  let mostBytes = 0;
  let fruitless = 0;
  try {
    for (let attempt = 0; ; attempt++) {
      let progress = false;
      const onBytes = (received: number, position: number, total: number | undefined): void => {
        progress ||= position > mostBytes;
        mostBytes = Math.max(mostBytes, position);
        context.concurrency.quiet(performance.now(), false);
        emit({ event: 'progress', path, received, position, total });
      };
      try {
        await reception.ready(place);
        await context.pause.passed(signal);
        const received = await tryOnce(context, planned, attempt, reception, place, onAnswer, onBytes);
        context.concurrency.quiet(performance.now(), true);
        return { received, attempts: attempt + 1 };
      } catch (cause) {
        await reception.failed(cause);
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
  } finally {
    await reception.end();
  }
}

async function tryOnce(
  { client, destination, rate, signal }: TransferContext,
  { file, path, expected }: PlannedFile,
  attempt: number,
  reception: Reception,
  place: Place,
  onAnswer: () => void,
  onBytes: (received: number, position: number, total: number | undefined) => void,
): Promise<Received> {
  let total: number | undefined;
  try {
    return await receive(reception, {
      client,
      file,
      path,
      attempt,
      expected,
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
    throw diskError(isOfBadBytes(error) ? inFile(error, path) : error, destination.locate(path));
  }
}

/** What is wrong with the bytes, with the file they are of. */
function inFile(error: TickhaulError, path: string): TickhaulError {
  return error.message.includes(path)
    ? error
    : new TickhaulError(error.code, `${path}: ${error.message}`, { cause: error });
}

/** Whether something may stand at its path that nobody wants any more. */
function mayStand({ action, replaces }: PlannedFile): boolean {
  return replaces === true || action !== 'fetch';
}

function recordOf(
  { file, path }: PlannedFile,
  { outcome: _, object, isUnwritten: __, ...received }: Received,
): ManifestRecord {
  const time = new Date().toISOString();
  return { file, path, ...received, time, version: VERSION, ...(object && { object }) };
}
