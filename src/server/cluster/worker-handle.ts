import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort, withTimeout } from '../../base/wait.js';
import { createMetrics, type ServerCounts } from '../server-metrics.js';
import type { PassedConnection } from './listeners.js';
import { type LinkNotice, type LinkRequest, ProcessLink } from './process-link.js';

/** Time for a worker to report its counts; those of a busy worker are the last reported ones. */
const COUNTS_TIMEOUT_MS = 5000;
const HEARTBEAT_INTERVAL_MS = 1000;
/** Time without a response to a heartbeat after which a worker counts as silent. */
const SILENT_MS = 3000;

export interface WorkerHandler {
  onRequest(worker: WorkerHandle, request: LinkRequest): Promise<unknown>;
  onNotice(worker: WorkerHandle, notice: LinkNotice): void;
  /** `isSilent` has changed. */
  onSilence(worker: WorkerHandle): void;
}

/** A worker in the primary process. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #link: ProcessLink;
  readonly #gone = new AbortController();
  readonly startedMs = performance.now();
  /** Passed connections that the worker has not claimed yet, by number. */
  readonly #unclaimed = new Map<number, PassedConnection>();
  #connections = 0;
  readonly #handler: WorkerHandler;
  #beating: NodeJS.Timeout | undefined;
  #isSilent = false;
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
  /** The error with which the worker ends, if it reported one. */
  #failure: TickhaulError | undefined;

  constructor(worker: Worker, handler: WorkerHandler) {
    this.#worker = worker;
    this.#handler = handler;
    // Each lock that the worker requests adds a listener.
    setMaxListeners(0, this.gone);
    let resolveReady = (): void => {};
    const ready = new Promise<void>((resolve) => {
      resolveReady = resolve;
    });
    this.ready = rejectOnAbort(ready, this.gone);
    // If no caller waits, the signal reports the end.
    this.ready.catch(() => {});
    this.#link = new ProcessLink(worker, {
      onRequest: async (request) =>
        request.name === 'claim' ? this.#claim(request.connection) : handler.onRequest(this, request),
      onNotice: (notice) => {
        if (notice.kind === 'ready') {
          this.#isReady = true;
          resolveReady();
          this.#beat();
        } else if (notice.kind === 'failed') {
          this.#failure = new TickhaulError(notice.error.code, notice.error.message);
        }
        handler.onNotice(this, notice);
      },
    });
    worker.once('exit', (code, signal) => {
      const end = (): void =>
        this.#setGone(
          // The end of a worker does not end the server.
          this.#failure ?? new TickhaulError('bug', signal ?? `code ${code}`),
        );
      // Its last message may still arrive.
      if (worker.isConnected()) worker.once('disconnect', end);
      else end();
    });
    // A process that started emits `exit` when it ends; an undelivered signal or message is not its end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#setGone(new TickhaulError('bug', error.message));
    });
  }

  /** Aborted when the worker has ended; the reason says how, or why. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether it accepts connections. */
  get isReady(): boolean {
    return this.#isReady && !this.gone.aborted;
  }

  /** Whether it does not respond to heartbeats, since it is stopped or busy. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Number of passed connections that it has not claimed yet. */
  get unclaimed(): number {
    return this.#unclaimed.size;
  }

  /** Undefined if its process could not start. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  pass(passed: PassedConnection): void {
    const { kind, head, socket } = passed;
    const connection = ++this.#connections;
    this.#unclaimed.set(connection, passed);
    this.#link.notify({ kind, connection, head }, socket);
  }

  /** Removes and returns the connections that it has not claimed yet. */
  reclaim(): readonly PassedConnection[] {
    const unclaimed = [...this.#unclaimed.values()];
    this.#unclaimed.clear();
    return unclaimed;
  }

  /** Requests its counts again. */
  async count(): Promise<void> {
    if (!this.isReady || this.#isSilent) return;
    const response = this.#link.request({ name: 'counts' });
    const counts = await withTimeout(response, COUNTS_TIMEOUT_MS).catch(() => undefined);
    if (counts !== undefined) this.counts = counts as ServerCounts;
  }

  /** Shuts the worker down; kills it if it has not started or is silent. */
  end(graceMs: number): void {
    if (this.#isReady && !this.#isSilent) this.#link.notify({ kind: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Closes this process's handle of a connection before the worker reads from its own. */
  #claim(connection: number): boolean {
    const passed = this.#unclaimed.get(connection);
    this.#unclaimed.delete(connection);
    passed?.socket.destroy();
    return passed !== undefined;
  }

  /** Sends heartbeats until the worker ends. */
  #beat(): void {
    const silent = setTimeout(() => this.#setSilent(true), SILENT_MS).unref();
    this.#link.request({ name: 'beat' }).then(
      () => {
        clearTimeout(silent);
        this.#setSilent(false);
        this.#beating = setTimeout(() => this.#beat(), HEARTBEAT_INTERVAL_MS).unref();
      },
      // The worker has ended.
      () => clearTimeout(silent),
    );
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent || this.gone.aborted) return;
    this.#isSilent = isSilent;
    this.#handler.onSilence(this);
  }

  #setGone(reason: TickhaulError): void {
    clearTimeout(this.#beating);
    this.#gone.abort(reason);
  }
}
