import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { createDeferred, rejectOnAbort, withTimeout } from '../../base/wait.js';
import { createMetrics, type ServerCounts } from '../server-metrics.js';
import type { PassedConnection } from './listeners.js';
import { type LinkNotice, type LinkRequest, ProcessLink } from './process-link.js';

/** A worker that takes longer to report its counts is busy; its last counts are used. */
const COUNTS_TIMEOUT_MS = 5000;
/** Time between two pings, and the time without a response after which the worker is unresponsive. */
const PING_INTERVAL_MS = 1000;
const PING_TIMEOUT_MS = 3000;

export interface WorkerHandler {
  onRequest(worker: WorkerHandle, request: LinkRequest): Promise<unknown>;
  onNotice(worker: WorkerHandle, notice: LinkNotice): void;
  /** Called if `isUnresponsive` has changed. */
  onResponsiveness(worker: WorkerHandle): void;
}

/** A worker process of the cluster, in the primary process. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #link: ProcessLink;
  readonly #handler: WorkerHandler;
  readonly #ended = new AbortController();
  readonly startedMs = performance.now();
  /** Connections that were passed to the worker and that it has not claimed yet, by their numbers. */
  readonly #unclaimed = new Map<number, PassedConnection>();
  #lastConnection = 0;
  #pingTimer: NodeJS.Timeout | undefined;
  #isUnresponsive = false;
  /** Number of clients that it serves. */
  clients = 0;
  /** The counts that the worker last reported. */
  counts: ServerCounts = {
    metrics: createMetrics(),
    memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 },
  };
  /** Resolves when the worker accepts connections; rejects if it ends before. */
  readonly ready: Promise<void>;
  #isReady = false;
  /** Why the worker ends, if it reported that. */
  #failure: TickhaulError | undefined;

  constructor(worker: Worker, handler: WorkerHandler) {
    this.#worker = worker;
    this.#handler = handler;
    // Each lock that the worker takes adds a listener.
    setMaxListeners(0, this.ended);
    const ready = createDeferred<void>();
    this.ready = rejectOnAbort(ready.promise, this.ended);
    // Without a waiting caller, the signal reports the end.
    this.ready.catch(() => {});
    this.#link = new ProcessLink(worker, {
      onRequest: async (request) =>
        request.name === 'claim' ? this.#claim(request.connection) : handler.onRequest(this, request),
      onNotice: (notice) => {
        if (notice.kind === 'ready') {
          this.#isReady = true;
          ready.resolve();
          this.#ping();
        } else if (notice.kind === 'failed') {
          this.#failure = new TickhaulError(notice.error.code, notice.error.message);
        }
        handler.onNotice(this, notice);
      },
    });
    worker.once('exit', (code, signal) => {
      // The exit code of a worker says nothing about the server, so a signal to it is a bug here.
      const onEnd = (): void =>
        this.#onEnd(this.#failure ?? new TickhaulError('bug', signal ?? `code ${code}`));
      // Its last message may still arrive.
      if (worker.isConnected()) worker.once('disconnect', onEnd);
      else onEnd();
    });
    // A process that has started reports its end with `exit`. Other errors, such as an undelivered signal, are no end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#onEnd(new TickhaulError('bug', error.message));
    });
  }

  /** Aborted when the worker has ended; the reason says why. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the worker accepts connections. */
  get isReady(): boolean {
    return this.#isReady && !this.ended.aborted;
  }

  /** Whether the worker does not respond to pings: it is stopped, or busy for long. */
  get isUnresponsive(): boolean {
    return this.#isUnresponsive;
  }

  /** Number of connections that were passed to the worker and that it has not claimed yet. */
  get unclaimed(): number {
    return this.#unclaimed.size;
  }

  /** Process id; undefined if the process could not start. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Passes a connection to the worker, which claims it. */
  pass(connection: PassedConnection): void {
    const { kind, head, socket } = connection;
    const number = ++this.#lastConnection;
    this.#unclaimed.set(number, connection);
    this.#link.notify({ kind, connection: number, head }, socket);
  }

  /** Takes back the unclaimed connections; the worker can no longer claim them. */
  takeUnclaimed(): readonly PassedConnection[] {
    const connections = [...this.#unclaimed.values()];
    this.#unclaimed.clear();
    return connections;
  }

  /** Updates `counts`, unless the worker does not respond in time. */
  async updateCounts(): Promise<void> {
    if (!this.isReady || this.#isUnresponsive) return;
    const request = this.#link.request({ name: 'counts' });
    const counts = await withTimeout(request, COUNTS_TIMEOUT_MS).catch(() => undefined);
    if (counts !== undefined) this.counts = counts as ServerCounts;
  }

  /** Lets the worker end after its open responses. A worker that is starting or unresponsive is killed. */
  end(graceMs: number): void {
    if (this.#isReady && !this.#isUnresponsive) this.#link.notify({ kind: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** The worker has its own handle of the connection, so this one is closed. */
  #claim(number: number): boolean {
    const connection = this.#unclaimed.get(number);
    this.#unclaimed.delete(number);
    connection?.socket.destroy();
    return connection !== undefined;
  }

  /** Pings the worker until it has ended. */
  #ping(): void {
    const timeout = setTimeout(() => this.#setUnresponsive(true), PING_TIMEOUT_MS).unref();
    this.#link.request({ name: 'ping' }).then(
      () => {
        clearTimeout(timeout);
        this.#setUnresponsive(false);
        this.#pingTimer = setTimeout(() => this.#ping(), PING_INTERVAL_MS).unref();
      },
      // The worker has ended.
      () => clearTimeout(timeout),
    );
  }

  #setUnresponsive(isUnresponsive: boolean): void {
    if (this.#isUnresponsive === isUnresponsive || this.ended.aborted) return;
    this.#isUnresponsive = isUnresponsive;
    this.#handler.onResponsiveness(this);
  }

  #onEnd(reason: TickhaulError): void {
    clearTimeout(this.#pingTimer);
    this.#ended.abort(reason);
  }
}
