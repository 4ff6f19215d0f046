import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import { createMetrics, type ServerCounts } from '../server-metrics.js';
import type { PassedConnection } from './listeners.js';
import { type LinkNotice, type LinkRequest, ProcessLink } from './process-link.js';

/** Milliseconds that a worker has to tell its counts; its last ones stand for those of one that is busy. */
const COUNTS_TIMEOUT_MS = 5000;

export interface WorkerHandler {
  onRequest(member: WorkerHandle, question: LinkRequest): Promise<unknown>;
  onNotice(member: WorkerHandle, told: LinkNotice): void;
}

/** A worker, as the primary process knows it. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #link: ProcessLink;
  readonly #gone = new AbortController();
  readonly startedMs = performance.now();
  /** Connections that are not on their way yet. */
  readonly unsent = new Set<PassedConnection>();
  /** What it last told of itself. */
  counts: ServerCounts = {
    metrics: createMetrics(),
    memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 },
  };
  /** Resolves when it takes connections; rejects where it ended before. */
  readonly ready: Promise<void>;
  #isReady = false;
  /** Why it ends, where it told so. */
  #failure: TickhaulError | undefined;

  constructor(worker: Worker, end: WorkerHandler) {
    this.#worker = worker;
    // Each of its turns listens.
    setMaxListeners(0, this.gone);
    let settle = (): void => {};
    const ready = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.ready = rejectOnAbort(ready, this.gone);
    // Whoever doesn't wait for it learns of its end from the signal.
    this.ready.catch(() => {});
    this.#link = new ProcessLink(worker, {
      onRequest: (question) => end.onRequest(this, question),
      onNotice: (told) => {
        if (told.told === 'ready') {
          this.#isReady = true;
          settle();
        } else if (told.told === 'failed') {
          this.#failure = new TickhaulError(told.error.code, told.error.message);
        }
        end.onNotice(this, told);
      },
    });
    worker.once('exit', (code, signal) => {
      const leave = (): void =>
        this.#leave(
          this.#failure ??
            new TickhaulError(signal === null ? 'bug' : 'terminated', signal ?? `code ${code}`),
        );
      // What it told last may still be on its way.
      if (worker.isConnected()) worker.once('disconnect', leave);
      else leave();
    });
    // What began tells of its end by itself; a signal or message that doesn't reach it is no end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#leave(new TickhaulError('terminated', error.message));
    });
  }

  /** Aborted when it ended; the reason says how, or why. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether it takes connections. */
  get isReady(): boolean {
    return this.#isReady && !this.gone.aborted;
  }

  /** Of its process; undefined where that couldn't begin. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  hand(connection: PassedConnection): void {
    const { told, head, socket } = connection;
    this.unsent.add(connection);
    this.#link.tell({ told, head }, socket, (error) => {
      this.unsent.delete(connection);
      if (error) socket.destroy();
    });
  }

  /** Asks for its counts anew. */
  async count(): Promise<void> {
    if (!this.isReady) return;
    const asked = this.#link.ask({ name: 'counts' });
    const counts = await rejectOnAbort(asked, AbortSignal.timeout(COUNTS_TIMEOUT_MS)).catch(() => undefined);
    if (counts !== undefined) this.counts = counts as ServerCounts;
  }

  /** Lets it end by itself, where it began. */
  end(graceMs: number): void {
    if (this.#isReady) this.#link.tell({ told: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #leave(why: TickhaulError): void {
    this.#gone.abort(why);
  }
}
