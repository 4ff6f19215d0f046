import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatMinute } from '../../dataset/minutes.js';
import { finalError, waitForTry } from '../../transfer/next-try.js';
import type { ReceivedSlice } from '../cache/slice-cache.js';
import { keepUpTo, type SliceText, unpackSlice } from '../unpack/unpack.js';
import type { FetchRun } from './fetch-run.js';
import { requestSlice, type SliceRequest } from './slice-request.js';

/** Bytes of text that are kept of a slice until its turn: many are fetched at once. */
const MOST_KEPT = 16 * 1024 * 1024;

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
      const fetched = await tryOnce(run, request, signal);
      run.concurrency.quiet(performance.now(), true);
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
      await waitForTry(cause, attempt, {
        ...run,
        signal,
        onRetry: (waitMs, error) => run.emit({ event: 'retry', path: name, attempt, waitMs, error }),
        onPause: (waitMs, error) => run.emit({ event: 'pause', waitMs, error }),
      });
    }
  }
}

async function tryOnce(run: FetchRun, request: SliceRequest, signal: AbortSignal): Promise<FetchedSlice> {
  const { client, pause, allowance, rate } = run;
  await pause.passed(signal);
  await allowance.take(signal);
  const cameMs = Date.now();
  let isSettled = false;
  const settle = (): void => {
    if (!isSettled) allowance.settle();
    isSettled = true;
  };
  try {
    const answer = await requestSlice(
      client,
      request,
      rate,
      (headers) => {
        allowance.note(headers);
        settle();
      },
      signal,
    );
    const { bytes, encoding, minutes, suggested } = answer;
    const text = await unpackSlice(bytes, encoding, keepUpTo(MOST_KEPT));
    const slice = { bytes, encoding, cameMs, start: request.start, end: request.start + minutes };
    return { slice, text, suggested };
  } finally {
    settle();
  }
}
