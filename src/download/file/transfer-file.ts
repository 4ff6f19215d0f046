import { abortReason, TickhaulError, toDiskError } from '../../base/errors.js';
import { VERSION } from '../../base/packages.js';
import { waitToRetry } from '../../http/retry-policy.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import { requestDayFile } from '../../service/request-day-file.js';
import { type ConversionEntry, type ManifestRecord, markChecked } from '../../store/manifest-record.js';
import type { PlannedFile } from '../download-options.js';
import type { TransferContext } from '../shared-run.js';
import {
  assertExpected,
  DayFileReceiver,
  isBadContent,
  type ReceivedFile,
  type TransferAttempt,
} from './receive-day-file.js';
import { recordFile } from './record-file.js';

export interface TransferredFile {
  readonly record: ManifestRecord;
  readonly newConversions: readonly ConversionEntry[];
  readonly attempts: number;
}

/** A failed transfer, with its number of attempts. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  readonly attempts: number;
  readonly reason: TickhaulError;

  constructor(reason: TickhaulError, attempts: number) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.attempts = attempts;
  }
}

/**
 * Downloads one day file to the destination, then records it with its conversions. A failed conversion is not retried:
 * the same bytes would fail again.
 * @throws TransferError.
 */
export async function transferFile(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
): Promise<TransferredFile> {
  const { received, attempts } = await receiveWithRetries(context, planned, slot);
  try {
    const { outcome } = received;
    const verified = createRecord(planned, received);
    const withoutCsv = mayHaveStaleFile(planned) ? 'stale' : 'none';
    const csv = received.isUnwritten ? withoutCsv : 'written';
    const record = await recordFile({ ...context, slot }, verified, outcome, csv);
    return { record, newConversions: outcome?.newConversions ?? [], attempts };
  } catch (cause) {
    throw cause instanceof TickhaulError ? new TransferError(cause, attempts) : cause;
  }
}

/**
 * Retries until success, a permanent error, or `retries` attempts in a row without new bytes.
 * @throws TransferError.
 */
async function receiveWithRetries(
  context: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
): Promise<{ readonly received: ReceivedFile; readonly attempts: number }> {
  const { signal, emit, limits } = context;
  const { pause, concurrency } = limits;
  const { path } = planned;
  const receiver = new DayFileReceiver(context, planned);
  let maxPosition = 0;
  let attemptsWithoutProgress = 0;
  try {
    for (let attempt = 0; ; attempt++) {
      let hasProgress = false;
      const onBytes = (received: number, position: number, total: number | undefined): void => {
        hasProgress ||= position > maxPosition;
        maxPosition = Math.max(maxPosition, position);
        concurrency.onSuccess(performance.now(), false);
        emit({ event: 'progress', path, received, position, total });
      };
      try {
        await receiver.prepare(slot);
        await pause.waitUntilOver(signal);
        const received = await attemptTransfer(context, planned, attempt, receiver, slot, onBytes);
        concurrency.onSuccess(performance.now(), true);
        return { received, attempts: attempt + 1 };
      } catch (cause) {
        await receiver.onFailure(cause);
        if (signal.aborted) throw new TransferError(abortReason(signal), attempt + 1);
        if (!(cause instanceof TickhaulError)) throw cause;
        attemptsWithoutProgress = hasProgress ? 1 : attemptsWithoutProgress + 1;
        await waitToRetry(cause, attemptsWithoutProgress, {
          ...context,
          ...limits,
          onRetry(waitMs, error) {
            slot.release();
            emit({ event: 'retry', path, attempt: attempt + 1, waitMs, error });
          },
          onPause: (waitMs, error) => emit({ event: 'pause', waitMs, error }),
        }).catch((final: TickhaulError) => {
          throw new TransferError(final, attempt + 1);
        });
      }
    }
  } finally {
    await receiver.close();
  }
}

/** Requests the file and receives it, in one attempt. @throws TickhaulError. */
async function attemptTransfer(
  { client, place, rate, signal }: TransferContext,
  { file, path, expected }: PlannedFile,
  attempt: number,
  receiver: DayFileReceiver,
  slot: TransferSlot,
  onBytes: (received: number, position: number, total: number | undefined) => void,
): Promise<ReceivedFile> {
  try {
    const resume = await receiver.findResumePoint(attempt);
    const response = await requestDayFile(client, file, { attempt, resume, signal });
    try {
      const { total } = response;
      assertExpected(path, expected, { bytes: total });
      const transfer: TransferAttempt = {
        file,
        path,
        expected,
        rate,
        signal,
        onBytes: (received, position) => onBytes(received, position, total),
        onBodyEnd: () => slot.release(),
      };
      return await receiver.receive(transfer, response);
    } finally {
      response.body.destroy();
    }
  } catch (error) {
    throw toDiskError(isBadContent(error) ? withPath(error, path) : error, place.destination.locate(path));
  }
}

/** Adds the path to an error about the bytes. */
function withPath(error: TickhaulError, path: string): TickhaulError {
  return error.message.includes(path)
    ? error
    : new TickhaulError(error.code, `${path}: ${error.message}`, {
        maxRetries: error.maxRetries,
        cause: error,
      });
}

/** Whether an outdated file may exist at the path. */
function mayHaveStaleFile({ action, replaces }: PlannedFile): boolean {
  return replaces === true || action !== 'fetch';
}

function createRecord(
  { file, path }: PlannedFile,
  { outcome: _, object, isUnwritten: __, ...received }: ReceivedFile,
): ManifestRecord {
  const time = new Date().toISOString();
  const checked = markChecked(received.sha256);
  return { file, path, ...received, ...checked, time, version: VERSION, ...(object && { object }) };
}
