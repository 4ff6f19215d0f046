import pLimit from 'p-limit';
import { abortReason } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { Minute, MinuteRange } from '../../dataset/minute.js';
import { readSliceIndex } from '../cache/slice-index.js';
import type { SliceFile } from '../cache/slice-path.js';
import type { FetchRun } from './fetch-run.js';
import { type FetchedSlice, fetchSlice } from './fetch-slice.js';
import type { SliceRequest } from './slice-request.js';

/** A slice that somebody of this process asked for. */
export interface SharedSlice extends MinuteRange {
  /** Where it is kept; undefined where it isn't. */
  readonly file: SliceFile | undefined;
  /** Itself, for those who waited while it came. */
  readonly fetched: FetchedSlice | undefined;
  /** Minutes that the next request should be about; undefined where the answer didn't say. */
  readonly suggested: number | undefined;
}

export interface KeyedRequest extends SliceRequest {
  /** Of the filters, in the cache. */
  readonly key: string;
}

/**
 * Fetches slices for all replays of a run: what one of them asks for, or did a while ago, isn't asked for again for
 * another, and all together keep to the run's limit. A request ends when nobody waits for it any longer.
 */
export interface SharedSlices {
  /** A slice that has the request's first minute. @throws as `fetchSlice`; the reason of an abort. */
  fetch(run: FetchRun, request: KeyedRequest, signal: AbortSignal): Promise<SharedSlice>;
  /** What was kept isn't there any more, or is damaged. */
  forget(request: KeyedRequest): void;
}

interface SliceInFlight {
  readonly slice: Promise<SharedSlice>;
  /** Aborts the request. */
  readonly stop: AbortController;
  readonly names: readonly string[];
  waiting: number;
  isDone: boolean;
}

/** Minutes that are remembered: readers who looked at the cache before they were kept are long through by then. */
const MAX_REMEMBERED_MINUTES = 20_000;

export function createSharedSlices(): SharedSlices {
  const known = new Map<string, SliceInFlight>();
  const limit = pLimit(1);

  const drop = (one: SliceInFlight, names = one.names): void => {
    for (const name of names) if (known.get(name) === one) known.delete(name);
  };
  const remember = (one: SliceInFlight): void => {
    for (const name of one.names) known.set(name, one);
    for (const name of known.keys()) {
      if (known.size <= MAX_REMEMBERED_MINUTES) return;
      known.delete(name);
    }
  };
  const begin = (run: FetchRun, request: KeyedRequest): SliceInFlight => {
    const stop = new AbortController();
    limit.concurrency = Math.max(1, run.concurrency.limit);
    const fetched = limit(() => fetchUnlessCached(run, request, stop.signal));
    const one: SliceInFlight = {
      slice: fetched,
      stop,
      names: listMinuteKeys(request),
      waiting: 0,
      isDone: false,
    };
    remember(one);
    fetched.then(
      (slice) => {
        one.isDone = true;
        drop(one);
        // Its bytes are for those who waited; whoever comes later reads it from the disk.
        if (slice.file) {
          const kept = Promise.resolve({ ...slice, fetched: undefined });
          remember({ ...one, slice: kept, names: listMinuteKeys({ ...request, ...toMinuteRange(slice) }) });
        }
      },
      () => {
        one.isDone = true;
        drop(one);
      },
    );
    return one;
  };
  return {
    async fetch(run, request, signal) {
      for (;;) {
        const one = known.get(minuteKey(request, request.start)) ?? begin(run, request);
        one.waiting++;
        try {
          const slice = await rejectOnAbort(one.slice, signal);
          // An answer may have fewer minutes than it was asked for.
          if (slice.start <= request.start && slice.end > request.start) return slice;
        } finally {
          one.waiting--;
          if (one.waiting === 0 && !one.isDone) {
            drop(one);
            one.stop.abort(abortReason(signal));
          }
        }
      }
    },
    forget(request) {
      for (const name of listMinuteKeys(request)) known.delete(name);
    },
  };
}

/** Where other processes fetch too, one of them may have brought it meanwhile. */
async function fetchUnlessCached(
  run: FetchRun,
  request: KeyedRequest,
  signal: AbortSignal,
): Promise<SharedSlice> {
  if (!run.turns) return fetchAndCache(run, request, signal);
  const name = minuteKey(request, request.start);
  const work = async (noted?: number): Promise<SharedSlice> => {
    // Without a note nobody had this turn before: nothing came since the cache was looked at.
    const file = noted === undefined ? undefined : await findCachedSlice(run, request);
    if (!file) return fetchAndCache(run, request, signal);
    return { ...toMinuteRange(file), file, fetched: undefined, suggested: noted || undefined };
  };
  return run.turns.runExclusive(name, signal, work, ({ suggested }) => suggested ?? 0);
}

async function findCachedSlice(
  { cache }: FetchRun,
  { exchange, key, start }: KeyedRequest,
): Promise<SliceFile | undefined> {
  const index = await readSliceIndex(cache.feeds, exchange, [key], { start, end: start + 1 });
  return index.at(start);
}

async function fetchAndCache(
  run: FetchRun,
  request: KeyedRequest,
  signal: AbortSignal,
): Promise<SharedSlice> {
  const fetched = await fetchSlice(run, request, signal);
  const { slice, suggested } = fetched;
  const file = await run.cache.write(request.exchange, request.key, slice);
  return { ...toMinuteRange(slice), file, fetched, suggested };
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
