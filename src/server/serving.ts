import { createTransfers, type Transfers } from '../download/transfers.js';
import { createFeedRun } from '../feeds/run.js';
import type { FeedRun } from '../feeds/types.js';
import { createFeedThreads, type FeedThreads } from '../replay/feeds/feed-inputs.js';
import { createSeriesThreads, type SeriesThreads } from '../replay/inputs.js';
import type { RunEvent } from '../run/events.js';
import { Answers } from './answers.js';
import { type Metrics, newMetrics } from './metrics.js';
import type { ServeOptions } from './options.js';

/** What all requests share. */
export interface Serving {
  readonly options: ServeOptions;
  /** Its signal is nobody's: each answer has its own. */
  readonly run: FeedRun;
  readonly answers: Answers;
  readonly metrics: Metrics;
  /** Of day files: what several answers need is brought once. */
  readonly transfers: Transfers;
  /** Of all answers together, for day files and for feeds. */
  readonly seriesThreads: SeriesThreads;
  readonly feedThreads: FeedThreads;
  /** Warns of the same thing once. */
  warnOnce(line: string): void;
  readonly emit: (event: RunEvent) => void;
}

/** Lines that are remembered, so that clients can't fill the memory with them. */
const MOST_WARNED = 10_000;

export function createServing(options: ServeOptions): Serving {
  const { log, feeds } = options;
  const metrics = newMetrics();
  const warned = new Set<string>();
  const warnOnce = (line: string): void => {
    if (warned.has(line) || warned.size >= MOST_WARNED) return;
    warned.add(line);
    log.warn(line);
  };
  const emit = (event: RunEvent): void => {
    if (event.event === 'warning') warnOnce(event.message);
    else if (event.event === 'retry') log.debug?.(`${event.path}: trying again: ${event.error.message}`);
    else if (event.event === 'pause') {
      metrics.waits++;
      log.warn(`waiting ${Math.round(event.waitMs / 1000)}s: ${event.error.message}`);
    }
  };
  const run = createFeedRun({ ...feeds, emit, signal: new AbortController().signal });
  const { cache } = run;
  const counted = {
    ...cache,
    read: (slice: Parameters<typeof cache.read>[0]) => {
      metrics.cacheHits++;
      return cache.read(slice);
    },
  };
  return {
    options,
    run: { ...run, cache: counted },
    answers: new Answers(),
    metrics,
    transfers: createTransfers(options.dayFiles.options),
    seriesThreads: createSeriesThreads(),
    feedThreads: createFeedThreads(),
    warnOnce,
    emit,
  };
}
