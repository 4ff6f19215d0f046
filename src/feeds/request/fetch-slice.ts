import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatMinute } from '../../dataset/minute.js';
import { waitToRetry } from '../../transfer/retry-policy.js';
import type { ReceivedSlice } from '../cache/slice-cache.js';
import { keepUpTo, type SliceText, unpackSlice } from '../unpack/unpack-slice.js';
import type { FetchRun } from './fetch-run.js';
import { requestSlice, type SliceRequest } from './slice-request.js';

/**
 * Maximum decompressed text kept in memory for a slice that is not read yet, since many slices are fetched at
 * once.
 */
const MAX_KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** A slice that was received and verified. */
export interface FetchedSlice {
  readonly slice: ReceivedSlice;
  readonly text: SliceText;
  /** Suggested minutes for the next request; undefined without a header. */
  readonly suggestedMinutes: number | undefined;
}

/**
 * Fetches and verifies a slice; retries errors that may be temporary. The slice may have fewer or more
 * minutes than requested.
 * @throws TickhaulError of the last attempt, with exchange and minute in the message.
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
      await waitToRetry(cause, attempt, {
        ...run,
        signal,
        onRetry: (waitMs, error) => run.emit({ event: 'retry', path: name, attempt, waitMs, error }),
        onPause: (waitMs, error) => run.emit({ event: 'pause', waitMs, error }),
      }).catch(({ code, message, status, retryAfterMs }: TickhaulError) => {
        throw new TickhaulError(code, `${name}: ${message}`, { status, retryAfterMs, cause });
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
  let hasEnded = false;
  const endRequest = (): void => {
    if (!hasEnded) quota.onRequestEnd();
    hasEnded = true;
  };
  try {
    const response = await requestSlice(
      client,
      request,
      rate,
      (headers) => {
        quota.onHeaders(headers);
        endRequest();
      },
      signal,
    );
    const { bytes, encoding, minutes, suggestedMinutes } = response;
    const text = await unpackSlice(bytes, encoding, keepUpTo(MAX_KEPT_TEXT_BYTES));
    const slice = { bytes, encoding, receivedMs, start: request.start, end: request.start + minutes };
    return { slice, text, suggestedMinutes };
  } finally {
    endRequest();
  }
}
