import { availableParallelism } from 'node:os';
import type { ProcessGroup } from '../base/semaphore.js';
import type { LayoutChoice } from '../day-files/layout.js';
import type { DownloadSettings } from '../download/download-options.js';
import { createTransferLimits, type TransferLimits } from '../download/shared-run.js';
import type { RunEvent } from '../events/run-events.js';
import {
  createFeedReadContext,
  type FeedReadContext,
  type FeedReadOptions,
} from '../raw-feeds/feed-read-context.js';
import { createFeedThreads, type FeedThreads } from '../replay/normalized-feeds/replay-feeds.js';
import { createSeriesThreads, type SeriesThreads } from '../replay/series-inputs.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import {
  type ClientLimit,
  createClientLimit,
  createWarnOnce,
  SHARED_TEXT_BYTES,
  WritePacer,
} from './client-limits.js';
import { createIdleMemory, OpenResponses } from './open-responses.js';
import { createMetrics, type MemoryUsage, type ServerCounts, type ServerMetrics } from './server-metrics.js';

/** Options of the server (docs/spec/local-server.md#configuration). */
export interface ServeOptions {
  /** Port of HTTP; WebSocket has the next one. 0 for any two free ports. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Origins of other pages that may use the server. */
  readonly allowOrigins: readonly string[];
  /** Maximum number of clients of all processes together. */
  readonly maxClients: number;
  /** Whether responses are compressed for clients that accept it. */
  readonly isCompressed: boolean;
  /** Source of normalized messages. */
  readonly source: 'feeds' | 'datasets';
  /** Options of the raw data API. */
  readonly feeds: Omit<FeedReadOptions, 'emit' | 'signal'>;
  /** Folder with copies of the exchange records. */
  readonly records: string;
  /** Destination that contains the day files. */
  readonly destination: Destination;
  readonly dayFiles: {
    readonly options: DownloadSettings;
    readonly layout: LayoutChoice;
    readonly owner: () => LockOwner;
  };
  readonly log: ServerLog;
  /** Memory of the process. */
  readonly memory: () => MemoryUsage;
  /** Set if the server is a worker of a cluster. */
  readonly cluster?: ClusterShare | undefined;
}

/** What the workers of a cluster share. */
export interface ClusterShare extends ProcessGroup {
  /** Limit for the clients of all workers together. */
  readonly clients: ClientLimit;
  /** Prints each warning once, also if several workers report it. */
  warnOnce(line: string): void;
  /** Sums of all processes. @throws if the primary process has ended. */
  counts(): Promise<ServerCounts>;
}

/** Receives lines without their line break; no line contains a key. */
export interface ServerLog {
  /** Prints a warning. */
  warn(line: string): void;
  /** Logs each request; undefined if not requested. */
  readonly request?: ((line: string) => void) | undefined;
  /** Logs internal events; undefined if not requested. */
  readonly debug?: ((line: string) => void) | undefined;
}

/** State that all requests share. */
export interface ServerContext {
  readonly options: ServeOptions;
  /** Its signal is never aborted: each response has a signal. */
  readonly run: FeedReadContext;
  readonly openResponses: OpenResponses;
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
  const run = createFeedReadContext({
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
  const openResponses: OpenResponses = new OpenResponses(createIdleMemory(() => openResponses.isIdle));
  // The processes of a cluster share the processors.
  const processors = Math.max(1, Math.floor(availableParallelism() / (cluster?.processes ?? 1)));
  const counts = async (): Promise<ServerCounts> =>
    (await cluster?.counts()) ?? { metrics, memory: options.memory() };
  return {
    options,
    run: { ...run, cache: counted },
    openResponses,
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
