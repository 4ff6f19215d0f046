import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { TickhaulError } from '../../base/errors.js';
import { createDeferred, rejectOnAbort, withTimeout } from '../../base/wait.js';
import { createMetrics, type ServerCounts } from '../server-metrics.js';
import { type ConnectionNotice, type LinkNotice, type LinkRequest, ProcessLink } from './process-link.js';

/** A worker that takes longer to report its counts is busy or stopped; its last counts are used. */
const COUNTS_TIMEOUT_MS = 5000;

/** A connection to pass to a worker. */
export interface PassedConnection extends ConnectionNotice {
  readonly socket: Socket;
}

export interface WorkerHandler {
  onRequest(worker: WorkerHandle, request: LinkRequest): Promise<unknown>;
  onNotice(worker: WorkerHandle, notice: LinkNotice): void;
}

/** A worker process of the cluster, in the primary process. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #link: ProcessLink;
  readonly #ended = new AbortController();
  readonly startedMs = performance.now();
  /** The connection that was passed to the worker and that it has not accepted yet. */
  #unaccepted: PassedConnection | undefined;
  /** Number of clients that it serves. */
  clients = 0;
  /** The counts that the worker last reported. */
  counts: ServerCounts = {
    metrics: createMetrics(),
    memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 },
  };
  /** Whether the worker owes its counts. */
  #isCounting = false;
  /** Resolves when the worker accepts connections; rejects if it ends before. */
  readonly ready: Promise<void>;
  #isReady = false;
  /** Why the worker ends, if it reported that. */
  #failure: TickhaulError | undefined;

  constructor(worker: Worker, handler: WorkerHandler) {
    this.#worker = worker;
    // Each lock that the worker takes adds a listener.
    setMaxListeners(0, this.ended);
    const ready = createDeferred<void>();
    this.ready = rejectOnAbort(ready.promise, this.ended);
    // Without a waiting caller, the signal reports the end.
    this.ready.catch(() => {});
    this.#link = new ProcessLink(worker, {
      onRequest: (request) => handler.onRequest(this, request),
      onNotice: (notice) => {
        if (notice.kind === 'ready') {
          this.#isReady = true;
          ready.resolve();
        } else if (notice.kind === 'accepted') {
          // The worker has its own handle of the connection.
          this.takeUnaccepted()?.socket.destroy();
        } else if (notice.kind === 'failed') {
          this.#failure = new TickhaulError(notice.error.code, notice.error.message);
        }
        handler.onNotice(this, notice);
      },
    });
    worker.once('exit', (code, signal) => {
      // The exit code of a worker says nothing about the server, so a signal to it is a bug here.
      const onEnd = (): void =>
        this.#ended.abort(this.#failure ?? new TickhaulError('bug', signal ?? `code ${code}`));
      // Its last message may still arrive.
      if (worker.isConnected()) worker.once('disconnect', onEnd);
      else onEnd();
    });
    // A process that has started reports its end with `exit`. Other errors, such as an undelivered signal, are no end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#ended.abort(new TickhaulError('bug', error.message));
    });
  }

  /** Aborted when the worker has ended; the reason says why. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether a connection can be passed to the worker: it has accepted the one before. */
  get isFree(): boolean {
    return this.#isReady && !this.ended.aborted && this.#unaccepted === undefined;
  }

  /** Process id; undefined if the process could not start. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Passes a connection to the worker if it is free. The connection stays open here until it is accepted. */
  pass(connection: PassedConnection): void {
    const { kind, head, session, socket } = connection;
    this.#unaccepted = connection;
    this.#link.notify({ kind, head, session }, socket);
  }

  /** Takes back the connection that the worker has not accepted. To be called when the worker has ended. */
  takeUnaccepted(): PassedConnection | undefined {
    const connection = this.#unaccepted;
    this.#unaccepted = undefined;
    return connection;
  }

  /** Updates `counts`, unless the worker does not respond in time. Then it is not asked again until it has. */
  async updateCounts(): Promise<void> {
    if (!this.#isReady || this.ended.aborted || this.#isCounting) return;
    this.#isCounting = true;
    const updated = this.#link
      .request({ name: 'counts' })
      .then((counts) => {
        this.counts = counts as ServerCounts;
      })
      .finally(() => {
        this.#isCounting = false;
      });
    await withTimeout(updated, COUNTS_TIMEOUT_MS).catch(() => {});
  }

  /** Lets the worker end after its open responses. A worker that is starting is killed. */
  end(graceMs: number): void {
    if (this.#isReady) this.#link.notify({ kind: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
