import { abortReason, TickhaulError, toDiskError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import type { ConversionEntry, ManifestRecord } from '../../store/manifest-record.js';
import { finalError, waitBeforeRetry } from '../../transfer/retry-policy.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { PlannedFile } from '../download-options.js';
import { type BodySink, isBadContent, type ReceivedFile } from './body-sink.js';
import { FolderBodySink } from './folder-body-sink.js';
import { ObjectBodySink } from './object-body-sink.js';
import { receiveFile } from './receive-file.js';
import { recordConversionsOnly, recordFile } from './record-file.js';
import type { TransferContext } from './transfer-context.js';

export interface TransferredFile {
  readonly record: ManifestRecord;
  readonly newConversions: readonly ConversionEntry[];
  readonly attempts: number;
}

/** A failure, with the number of tries that were made. */
export class TransferError extends Error {
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
export async function transferFile(
  context: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  onAnswer: () => void,
): Promise<TransferredFile> {
  const { received, attempts } = await receiveWithRetries(context, planned, place, onAnswer);
  try {
    const { outcome } = received;
    const proven = createRecord(planned, received);
    const record = received.isUnwritten
      ? await recordConversionsOnly({ ...context, place }, proven, outcome, mayHaveStaleFile(planned))
      : await recordFile({ ...context, place }, proven, outcome);
    return { record, newConversions: outcome?.newConversions ?? [], attempts };
  } catch (cause) {
    throw cause instanceof TickhaulError ? new TransferError(cause, attempts) : cause;
  }
}

/** Tries again as long as that can help and `retries` tries in a row brought nothing new. @throws TransferFailure. */
async function receiveWithRetries(
  context: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  onAnswer: () => void,
): Promise<{ readonly received: ReceivedFile; readonly attempts: number }> {
  const { destination, signal, emit } = context;
  const { path } = planned;
  const reception =
    destination.kind === 'folder'
      ? new FolderBodySink(context, planned)
      : new ObjectBodySink(context, planned);
  let mostBytes = 0;
  let fruitless = 0;
  try {
    for (let attempt = 0; ; attempt++) {
      let progress = false;
      const onBytes = (received: number, position: number, total: number | undefined): void => {
        progress ||= position > mostBytes;
        mostBytes = Math.max(mostBytes, position);
        context.concurrency.onSuccess(performance.now(), false);
        emit({ event: 'progress', path, received, position, total });
      };
      try {
        await reception.prepare(place);
        await context.pause.waitUntilOver(signal);
        const received = await attemptTransfer(
          context,
          planned,
          attempt,
          reception,
          place,
          onAnswer,
          onBytes,
        );
        context.concurrency.onSuccess(performance.now(), true);
        return { received, attempts: attempt + 1 };
      } catch (cause) {
        await reception.onFailure(cause);
        if (signal.aborted) throw new TransferError(abortReason(signal), attempt + 1);
        if (!(cause instanceof TickhaulError)) throw cause;
        fruitless = progress ? 1 : fruitless + 1;
        const final = finalError(cause, fruitless, context);
        if (final) throw new TransferError(final, attempt + 1);
        place.release();
        await waitBeforeRetry(cause, fruitless, {
          ...context,
          onRetry: (waitMs, error) => emit({ event: 'retry', path, attempt: attempt + 1, waitMs, error }),
          onPause: (waitMs, error) => emit({ event: 'pause', waitMs, error }),
        });
      }
    }
  } finally {
    await reception.close();
  }
}

async function attemptTransfer(
  { client, destination, rate, signal }: TransferContext,
  { file, path, expected }: PlannedFile,
  attempt: number,
  reception: BodySink,
  place: TransferSlot,
  onAnswer: () => void,
  onBytes: (received: number, position: number, total: number | undefined) => void,
): Promise<ReceivedFile> {
  let total: number | undefined;
  try {
    return await receiveFile(reception, {
      client,
      file,
      path,
      attempt,
      expected,
      rate,
      signal,
      onResponse: (announced) => {
        total = announced;
        onAnswer();
      },
      onBytes: (received, position) => onBytes(received, position, total),
      onBodyEnd: () => place.release(),
    });
  } catch (error) {
    throw toDiskError(isBadContent(error) ? withPath(error, path) : error, destination.locate(path));
  }
}

/** What is wrong with the bytes, with the file they are of. */
function withPath(error: TickhaulError, path: string): TickhaulError {
  return error.message.includes(path)
    ? error
    : new TickhaulError(error.code, `${path}: ${error.message}`, { cause: error });
}

/** Whether something may stand at its path that nobody wants any more. */
function mayHaveStaleFile({ action, replaces }: PlannedFile): boolean {
  return replaces === true || action !== 'fetch';
}

function createRecord(
  { file, path }: PlannedFile,
  { outcome: _, object, isUnwritten: __, ...received }: ReceivedFile,
): ManifestRecord {
  const time = new Date().toISOString();
  return { file, path, ...received, time, version: VERSION, ...(object && { object }) };
}
