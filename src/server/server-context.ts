import { availableParallelism } from 'node:os';
import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import type { RunEvent } from '../events/run-events.js';
import { createFeedRun, type FeedRun } from '../raw-feeds/feed-run.js';
import { createFeedThreads, type FeedThreads } from '../replay/feeds/replay-feeds.js';
import { createSeriesThreads, type SeriesThreads } from '../replay/series-inputs.js';
import { type ClientLimit, createClientLimit } from './client-limit.js';
import { SHARED_TEXT_BYTES } from './client-memory.js';
import { createIdleMemory } from './idle-memory.js';
import { OpenResponses } from './open-responses.js';
import type { ServeOptions } from './serve-options.js';
import { createMetrics, type ServerCounts, type ServerMetrics } from './server-metrics.js';
import { createWarnOnce } from './warn-once.js';
import { WritePacer } from './write-pacer.js';

/** State that all requests share. */
export interface ServerContext {
  readonly options: ServeOptions;
  /** Its signal is never aborted: each response has a signal. */
  readonly run: FeedRun;
  readonly answers: OpenResponses;
  readonly clients: ClientLimit;
  readonly pacer: WritePacer;
  /** Counters of this process. */
  readonly metrics: ServerMetrics;
  /** Counters and memory of all processes of the cluster together. */
  counts(): Promise<ServerCounts>;
  /** Day files that several responses need are downloaded once. */
  readonly transfers: TransferLimits;
  /** Threads of all responses together, for day files and for feeds. */
  readonly seriesThreads: SeriesThreads;
  readonly feedThreads: FeedThreads;
  /** Prints each warning once. */
  warnOnce(line: string): void;
  readonly emit: (event: RunEvent) => void;
}

export function createServerContext(options: ServeOptions): ServerContext {
  const { log, feeds, cluster } = options;
  const metrics = createMetrics();
  const warnOnce = cluster?.warnOnce ?? createWarnOnce(log.warn);
  const emit = (event: RunEvent): void => {
    if (event.event === 'warning') warnOnce(event.message);
    else if (event.event === 'retry') log.debug?.(`${event.path}: trying again: ${event.error.message}`);
    else if (event.event === 'pause') {
      metrics.waits++;
      log.warn(`waiting ${Math.round(event.waitMs / 1000)}s: ${event.error.message}`);
    }
  };
  const { signal } = new AbortController();
  const run = createFeedRun({
    ...feeds,
    textBytes: Math.floor(SHARED_TEXT_BYTES / (cluster?.processes ?? 1)),
    emit,
    signal,
    beside: cluster,
  });
  const { cache } = run;
  const counted = {
    ...cache,
    read: (slice: Parameters<typeof cache.read>[0]) => {
      metrics.cacheHits++;
      return cache.read(slice);
    },
  };
  const answers: OpenResponses = new OpenResponses(createIdleMemory(() => answers.isIdle));
  // The processes of a cluster share the processors.
  const processors = Math.max(1, Math.floor(availableParallelism() / (cluster?.processes ?? 1)));
  const counts = async (): Promise<ServerCounts> =>
    (await cluster?.counts()) ?? { metrics, memory: options.memory() };
  return {
    options,
    run: { ...run, cache: counted },
    answers,
    pacer: new WritePacer(),
    clients: cluster?.clients ?? createClientLimit(options.maxClients),
    metrics,
    counts,
    transfers: createTransferLimits(options.dayFiles.options, cluster),
    seriesThreads: createSeriesThreads(options.destination.settings, processors),
    feedThreads: createFeedThreads(processors),
    warnOnce,
    emit,
  };
}
