import { abortReason, TickhaulError } from '../../base/errors.js';
import { type KeyedMutex, Semaphore } from '../../base/semaphore.js';
import { rejectOnAbort } from '../../base/wait.js';
import { formatMinute, type Minute, type MinuteRange } from '../../day-files/day.js';
import type { EventSink } from '../../events/run-events.js';
import type { ByteRateLimit, Concurrency } from '../../http/concurrency.js';
import { type Pause, type RetryLimits, waitToRetry } from '../../http/retry-policy.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { ReceivedSlice, SliceCache } from './slice-cache.js';
import { readSliceIndex, type SliceFile } from './slice-index.js';
import { type RequestQuota, requestSlice, type SliceRequest } from './slice-request.js';
import { keepUpTo, type SliceText, unpackSlice } from './unpack-slice.js';

/** State shared by all requests for slices. */
export interface SliceFetchContext extends RetryLimits {
  readonly client: ServiceClient;
  readonly cache: SliceCache;
  readonly concurrency: Concurrency;
  readonly pause: Pause;
  readonly quota: RequestQuota;
  readonly rate: ByteRateLimit;
  /** Serializes requests for the same slice across processes; undefined for a single process. */
  readonly fetchMutex?: KeyedMutex | undefined;
  readonly emit: EventSink;
}

/** A slice requested by any replay of this process. */
interface SharedSlice extends MinuteRange {
  /** The cached file; undefined if the slice was not cached. */
  readonly file: SliceFile | undefined;
  /** The content, for replays that waited for the request; undefined for later ones. */
  readonly fetched: FetchedSlice | undefined;
  /** Suggested minutes for the next request; undefined without a header. */
  readonly suggestedMinutes: number | undefined;
}

export interface KeyedRequest extends SliceRequest {
  /** Cache key of the filters. */
  readonly key: string;
}

/**
 * Fetches slices for all replays of a run. A slice that one replay requests, or requested recently, is not
 * requested again for another, and all replays together respect the run's concurrency limit. A request is
 * aborted when no replay waits for it any longer.
 */
export interface SharedSlices {
  /**
   * Returns a slice that contains the request's first minute. @throws as `fetchSlice`; the signal's reason
   * after an abort.
   */
  fetch(run: SliceFetchContext, request: KeyedRequest, signal: AbortSignal): Promise<SharedSlice>;
  /** Forgets a cached slice that is gone or damaged. */
  forget(request: KeyedRequest): void;
}

interface SliceInFlight {
  readonly slice: Promise<SharedSlice>;
  /** Aborts the request. */
  readonly stop: AbortController;
  readonly keys: readonly string[];
  waiters: number;
  isDone: boolean;
}

/** Number of minutes to remember: a reader whose index is older than the cached file has finished by then. */
const MAX_REMEMBERED_MINUTES = 20_000;

export function createSharedSlices(): SharedSlices {
  const known = new Map<string, SliceInFlight>();
  const requests = new Semaphore(1);

  const drop = (inFlight: SliceInFlight, keys = inFlight.keys): void => {
    for (const key of keys) if (known.get(key) === inFlight) known.delete(key);
  };
  const remember = (inFlight: SliceInFlight): void => {
    for (const key of inFlight.keys) known.set(key, inFlight);
    for (const key of known.keys()) {
      if (known.size <= MAX_REMEMBERED_MINUTES) return;
      known.delete(key);
    }
  };
  const start = (run: SliceFetchContext, request: KeyedRequest): SliceInFlight => {
    const stop = new AbortController();
    requests.capacity = Math.max(1, run.concurrency.limit);
    const fetched = requests.run(() => fetchUnlessCached(run, request, stop.signal));
    const inFlight: SliceInFlight = {
      slice: fetched,
      stop,
      keys: listMinuteKeys(request),
      waiters: 0,
      isDone: false,
    };
    remember(inFlight);
    fetched.then(
      (slice) => {
        inFlight.isDone = true;
        drop(inFlight);
        // Drop the content: replays that did not wait for it read the file.
        if (slice.file) {
          const withoutContent = Promise.resolve({ ...slice, fetched: undefined });
          remember({
            ...inFlight,
            slice: withoutContent,
            keys: listMinuteKeys({ ...request, ...toMinuteRange(slice) }),
          });
        }
      },
      () => {
        inFlight.isDone = true;
        drop(inFlight);
      },
    );
    return inFlight;
  };
  return {
    async fetch(run, request, signal) {
      for (;;) {
        const inFlight = known.get(minuteKey(request, request.start)) ?? start(run, request);
        inFlight.waiters++;
        try {
          const slice = await rejectOnAbort(inFlight.slice, signal);
          // A response may have fewer minutes than requested.
          if (slice.start <= request.start && slice.end > request.start) return slice;
        } finally {
          inFlight.waiters--;
          if (inFlight.waiters === 0 && !inFlight.isDone) {
            drop(inFlight);
            inFlight.stop.abort(abortReason(signal));
          }
        }
      }
    },
    forget(request) {
      for (const key of listMinuteKeys(request)) known.delete(key);
    },
  };
}

/** With other processes in the same cache, one of them may have fetched the slice in the meantime. */
async function fetchUnlessCached(
  run: SliceFetchContext,
  request: KeyedRequest,
  signal: AbortSignal,
): Promise<SharedSlice> {
  if (!run.fetchMutex) return fetchAndCache(run, request, signal);
  const name = minuteKey(request, request.start);
  const work = async (noted?: number): Promise<SharedSlice> => {
    // Without a note no other process held this mutex before, so the cache has not changed since the lookup.
    const file = noted === undefined ? undefined : await findCachedSlice(run, request);
    if (!file) return fetchAndCache(run, request, signal);
    return { ...toMinuteRange(file), file, fetched: undefined, suggestedMinutes: noted || undefined };
  };
  return run.fetchMutex.runExclusive(name, signal, work, ({ suggestedMinutes }) => suggestedMinutes ?? 0);
}

async function findCachedSlice(
  { cache }: SliceFetchContext,
  { exchange, key, start }: KeyedRequest,
): Promise<SliceFile | undefined> {
  const index = await readSliceIndex(cache.feeds, exchange, [key], { start, end: start + 1 });
  return index.find(start);
}

async function fetchAndCache(
  run: SliceFetchContext,
  request: KeyedRequest,
  signal: AbortSignal,
): Promise<SharedSlice> {
  const fetched = await fetchSlice(run, request, signal);
  const { slice, suggestedMinutes } = fetched;
  const file = await run.cache.write(request.exchange, request.key, slice);
  return { ...toMinuteRange(slice), file, fetched, suggestedMinutes };
}

function toMinuteRange({ start, end }: MinuteRange): MinuteRange {
  return { start, end };
}

function minuteKey({ exchange, key }: KeyedRequest, minute: Minute): string {
  return `${exchange}/${key}/${minute}`;
}

function listMinuteKeys(request: KeyedRequest): readonly string[] {
  const { start, end } = request;
  return Array.from({ length: end - start }, (_, at) => minuteKey(request, start + at));
}

/**
 * Maximum decompressed text kept in memory for a slice that is not read yet, since many slices are fetched at
 * once.
 */
const MAX_KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** A slice that was received and verified. */
interface FetchedSlice {
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
async function fetchSlice(
  run: SliceFetchContext,
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
  run: SliceFetchContext,
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
