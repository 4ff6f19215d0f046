import { availableParallelism } from 'node:os';
import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import { createFeedRun } from '../feeds/create-feed-run.js';
import type { FeedRun } from '../feeds/feed-run.js';
import { createFeedThreads } from '../replay/feeds/feed-inputs.js';
import type { FeedThreads } from '../replay/feeds/threads/feed-thread.js';
import { createSeriesThreads, type SeriesThreads } from '../replay/series-inputs.js';
import type { RunEvent } from '../run/run-events.js';
import { type ClientLimit, createClientLimit } from './client-limit.js';
import { SHARED_TEXT_BYTES } from './client-memory.js';
import { createIdleMemory } from './idle-memory.js';
import { OpenResponses } from './open-responses.js';
import type { ServeOptions } from './serve-options.js';
import { createMetrics, type ServerCounts, type ServerMetrics } from './server-metrics.js';
import { createWarnOnce } from './warn-once.js';
import { WriteTurns } from './write-turns.js';

/** What all requests share. */
export interface ServerContext {
  readonly options: ServeOptions;
  /** Its signal is nobody's: each answer has its own. */
  readonly run: FeedRun;
  readonly answers: OpenResponses;
  readonly clients: ClientLimit;
  readonly turns: WriteTurns;
  /** Of this process. */
  readonly metrics: ServerMetrics;
  /** Of all processes that serve together. */
  counts(): Promise<ServerCounts>;
  /** Day files that several responses need are downloaded once. */
  readonly transfers: TransferLimits;
  /** Of all answers together, for day files and for feeds. */
  readonly seriesThreads: SeriesThreads;
  readonly feedThreads: FeedThreads;
  /** Warns of the same thing once. */
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
  // A process of a cluster has its part of them.
  const processors = Math.max(1, Math.floor(availableParallelism() / (cluster?.processes ?? 1)));
  const counts = async (): Promise<ServerCounts> =>
    (await cluster?.counts()) ?? { metrics, memory: options.memory() };
  return {
    options,
    run: { ...run, cache: counted },
    answers,
    turns: new WriteTurns(),
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
