import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TickhaulError } from '../base/errors.js';
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

/** An open response. */
interface OpenResponse {
  readonly work: Promise<void>;
  readonly isStalled: () => boolean;
}

/** Open responses. When the server ends, it waits for them and aborts those that take too long. */
class OpenResponses {
  readonly #open = new Map<AbortController, OpenResponse>();
  /** Responses that never end by themselves. */
  readonly #endless = new Set<AbortController>();
  readonly #onIdle: () => void;
  #end: TickhaulError | undefined;

  /** @param onIdle called when the last open response has ended. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Whether no response is open. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Runs the work of a response.
   * @param stop is aborted if the response has to end early.
   * @param isStalled whether the client does not read; the end of the server does not wait for such a client.
   */
  async run(
    stop: AbortController,
    work: () => Promise<void>,
    isStalled: () => boolean = () => false,
  ): Promise<void> {
    if (this.#end) stop.abort(this.#end);
    const working = work();
    this.#open.set(stop, { work: working.catch(() => {}), isStalled });
    try {
      await working;
    } finally {
      this.#open.delete(stop);
      if (this.isIdle) this.#onIdle();
    }
  }

  /** Runs the work of a response without an end; the end of the server does not wait for it. */
  async runEndless(stop: AbortController, work: () => Promise<void>): Promise<void> {
    this.#endless.add(stop);
    try {
      await this.run(stop, work);
    } finally {
      this.#endless.delete(stop);
    }
  }

  /** Waits for all responses and aborts those that are open after `graceMs`. Later ones end at once. */
  async end(graceMs: number, reason: TickhaulError): Promise<void> {
    const abortAll = (): void => {
      this.#end = reason;
      for (const stop of this.#open.keys()) stop.abort(reason);
    };
    const timer = setTimeout(abortAll, graceMs);
    for (const stop of this.#endless) stop.abort(reason);
    for (const [stop, { isStalled }] of this.#open) if (isStalled()) stop.abort(reason);
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ work }) => work));
    clearTimeout(timer);
    this.#end = reason;
  }
}

/** Time without open responses after which memory is freed. Idle threads have ended by then, too. */
const IDLE_MS = 6_000;
const SECOND_COLLECTION_MS = 500;

/**
 * Frees the memory of past responses once no response is open for a while: V8 collects garbage when something is
 * allocated, and an idle server allocates nothing.
 * @returns a function to call whenever the last open response has ended.
 */
function createIdleMemory(isIdle: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      if (!isIdle()) return;
      collectGarbage();
      // Memory of ports and sockets becomes garbage only after their close was handled.
      setTimeout(collectGarbage, SECOND_COLLECTION_MS).unref();
    }, IDLE_MS).unref();
    timer.refresh();
  };
}

/** Node exposes the collection only with a flag, which may be set while the process runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
