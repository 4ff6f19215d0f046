import { availableParallelism } from 'node:os';
import { createTransfers, type Transfers } from '../download/transfers.js';
import { createFeedRun } from '../feeds/run.js';
import type { FeedRun } from '../feeds/types.js';
import { createFeedThreads, type FeedThreads } from '../replay/feeds/feed-inputs.js';
import { createSeriesThreads, type SeriesThreads } from '../replay/inputs.js';
import type { RunEvent } from '../run/events.js';
import { Answers } from './answers.js';
import { type ClientLimit, createClientLimit } from './client-limit.js';
import { clientBufferBytes, DAY_FILE_TEXT_BYTES, SLICE_TEXT_BYTES } from './client-memory.js';
import { createIdleMemory } from './idle-memory.js';
import { type Counts, type Metrics, newMetrics } from './metrics.js';
import type { ServeOptions } from './options.js';
import { onceOf } from './warn-once.js';
import { WriteTurns } from './write-turns.js';

/** What all requests share. */
export interface Serving {
  readonly options: ServeOptions;
  /** Its signal is nobody's: each answer has its own. */
  readonly run: FeedRun;
  readonly answers: Answers;
  readonly clients: ClientLimit;
  readonly turns: WriteTurns;
  /** Of this process. */
  readonly metrics: Metrics;
  /** Of all processes that serve together. */
  counts(): Promise<Counts>;
  /** Of day files: what several answers need is brought once. */
  readonly transfers: Transfers;
  /** Of all answers together, for day files and for feeds. */
  readonly seriesThreads: SeriesThreads;
  readonly feedThreads: FeedThreads;
  /** Warns of the same thing once. */
  warnOnce(line: string): void;
  readonly emit: (event: RunEvent) => void;
}

export function createServing(options: ServeOptions): Serving {
  const { log, feeds, cluster } = options;
  const metrics = newMetrics();
  const warnOnce = cluster?.warnOnce ?? onceOf(log.warn);
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
    textBytes: Math.floor(SLICE_TEXT_BYTES / (cluster?.processes ?? 1)),
    bufferBytes: clientBufferBytes(),
    writeBytes: clientBufferBytes(),
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
  const answers: Answers = new Answers(createIdleMemory(() => answers.isIdle));
  // A process of a cluster has its part of them.
  const processors = Math.max(1, Math.floor(availableParallelism() / (cluster?.processes ?? 1)));
  const counts = async (): Promise<Counts> =>
    (await cluster?.counts()) ?? { metrics, memory: options.memory() };
  return {
    options,
    run: { ...run, cache: counted },
    answers,
    turns: new WriteTurns(),
    clients: cluster?.clients ?? createClientLimit(options.maxClients),
    metrics,
    counts,
    transfers: createTransfers(options.dayFiles.options, cluster),
    seriesThreads: createSeriesThreads(options.destination.settings, processors, DAY_FILE_TEXT_BYTES),
    feedThreads: createFeedThreads(processors),
    warnOnce,
    emit,
  };
}
