import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatMinute } from '../../dataset/minute.js';
import { finalError, waitBeforeRetry } from '../../transfer/retry-policy.js';
import type { ReceivedSlice } from '../cache/slice-cache.js';
import { keepUpTo, type SliceText, unpackSlice } from '../unpack/unpack-slice.js';
import type { FetchRun } from './fetch-run.js';
import { requestSlice, type SliceRequest } from './slice-request.js';

/** Bytes of text that are kept of a slice until its turn: many are fetched at once. */
const MAX_KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** A slice that came whole. */
export interface FetchedSlice {
  readonly slice: ReceivedSlice;
  readonly text: SliceText;
  /** Minutes that the next request should be about; undefined where the answer didn't say. */
  readonly suggested: number | undefined;
}

/**
 * Fetches a slice and proves it whole; tries again as long as that can help. It may end sooner than it was asked for,
 * or later.
 * @throws TickhaulError that names exchange and minute: why the last try failed.
 */
export async function fetchSlice(
  run: FetchRun,
  request: SliceRequest,
  signal: AbortSignal,
): Promise<FetchedSlice> {
  for (let attempt = 1; ; attempt++) {
    try {
      const fetched = await attemptFetch(run, request, signal);
      run.concurrency.onSuccess(performance.now(), true);
      return fetched;
    } catch (cause) {
      if (signal.aborted) throw abortReason(signal);
      if (!(cause instanceof TickhaulError)) throw cause;
      const name = `${request.exchange} ${formatMinute(request.start)}`;
      const final = finalError(cause, attempt, run);
      if (final) {
        const { code, message, status, retryAfterMs } = final;
        throw new TickhaulError(code, `${name}: ${message}`, { status, retryAfterMs, cause });
      }
      await waitBeforeRetry(cause, attempt, {
        ...run,
        signal,
        onRetry: (waitMs, error) => run.emit({ event: 'retry', path: name, attempt, waitMs, error }),
        onPause: (waitMs, error) => run.emit({ event: 'pause', waitMs, error }),
      });
    }
  }
}

async function attemptFetch(
  run: FetchRun,
  request: SliceRequest,
  signal: AbortSignal,
): Promise<FetchedSlice> {
  const { client, pause, quota, rate } = run;
  await pause.waitUntilOver(signal);
  await quota.acquire(signal);
  const receivedMs = Date.now();
  let isSettled = false;
  const settle = (): void => {
    if (!isSettled) quota.onRequestEnd();
    isSettled = true;
  };
  try {
    const answer = await requestSlice(
      client,
      request,
      rate,
      (headers) => {
        quota.onHeaders(headers);
        settle();
      },
      signal,
    );
    const { bytes, encoding, minutes, suggested } = answer;
    const text = await unpackSlice(bytes, encoding, keepUpTo(MAX_KEPT_TEXT_BYTES));
    const slice = { bytes, encoding, receivedMs, start: request.start, end: request.start + minutes };
    return { slice, text, suggested };
  } finally {
    settle();
  }
}
