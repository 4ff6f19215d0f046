import type { Worker } from 'node:cluster';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { waitForAbort } from '../../base/wait.js';
import { fnv1a } from '../../day-files/shard.js';
import { createWarnOnce } from '../client-limits.js';
import type { ServerLog } from '../server-context.js';
import {
  createMetrics,
  type MemoryUsage,
  type ServerCounts,
  sumCounts,
  sumMetrics,
} from '../server-metrics.js';
import type { PassedConnection } from './listeners.js';
import type { LinkNotice, LinkRequest, WorkerInput } from './process-link.js';
import { RemoteMutex } from './remote-mutex.js';
import { WorkerHandle } from './worker-handle.js';

export interface WorkerPoolOptions {
  /** Number of workers. */
  readonly size: number;
  /** Input of the workers: what they serve. */
  readonly input: object;
  readonly fork: () => Worker;
  /** Maximum number of clients of all workers together. */
  readonly maxClients: number;
  readonly log: Pick<ServerLog, 'warn' | 'debug'>;
  /** Memory of this process. */
  readonly memory: () => MemoryUsage;
}

/** A place in the pool: if its worker ends, another replaces it. */
interface WorkerSlot {
  worker: WorkerHandle;
  /** Connections that wait until the worker accepts them. */
  readonly waiting: PassedConnection[];
  /** Number of consecutive workers that ended early. */
  failures: number;
  restartTimer: NodeJS.Timeout | undefined;
}

/** The end of a worker that lived longer has another cause than the previous ones. */
const HEALTHY_WORKER_MS = 10_000;
const MIN_RESTART_MS = 250;
const MAX_RESTART_MS = 5000;
/** Time for a worker to end after its responses; the primary process exits some seconds after them (command-list.ts). */
const WORKER_EXIT_TIMEOUT_MS = 2000;

/** The worker processes of a cluster. A worker that ends is replaced. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #mutex = new RemoteMutex();
  readonly #warnOnce: (line: string) => void;
  /** Metrics of the workers that have ended. */
  #endedMetrics = createMetrics();
  #isOpen = false;
  #nextSlot = 0;

  /** Starts the workers. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#warnOnce = createWarnOnce(options.log.warn);
    this.#slots = Array.from({ length: options.size }, () => {
      const slot = { worker: this.#fork(), waiting: [], failures: 0, restartTimer: undefined };
      this.#replaceAtEnd(slot);
      return slot;
    });
  }

  /** Passes connections on once all workers are ready. @throws the error of a worker that ends before. */
  async open(): Promise<void> {
    await Promise.all(
      this.#slots.map(({ worker }) =>
        worker.ready.catch((cause: unknown) => {
          const { code, message } = abortReason(worker.ended);
          throw new TickhaulError(code, `a worker failed to start: ${message}`, { cause });
        }),
      ),
    );
    this.#isOpen = true;
    for (const slot of this.#slots) if (slot.worker.ended.aborted) this.#replace(slot);
  }

  /** Passes a connection to the worker with the fewest waiting connections, or to the worker of its session. */
  pass(connection: PassedConnection): void {
    const { session } = connection;
    const slot = session === undefined ? this.#selectSlot() : this.#selectSlotOfSession(session);
    slot.waiting.push(connection);
    this.#passWaiting(slot);
  }

  /** Process ids of the workers. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ worker }) => worker.pid);
  }

  /** Waits for open responses, at most for the grace period, and until all workers have ended. */
  async end(graceMs: number): Promise<void> {
    this.#isOpen = false;
    for (const { restartTimer, waiting } of this.#slots) {
      clearTimeout(restartTimer);
      for (const { socket } of waiting) socket.destroy();
    }
    const workers = this.#livingWorkers();
    for (const worker of workers) worker.end(graceMs);
    const killTimer = setTimeout(() => {
      for (const worker of workers) worker.kill();
    }, graceMs + WORKER_EXIT_TIMEOUT_MS);
    await Promise.all(workers.map(({ ended }) => waitForAbort(ended)));
    clearTimeout(killTimer);
    for (const { worker } of this.#slots) for (const { socket } of worker.takeUnclaimed()) socket.destroy();
  }

  #livingWorkers(): readonly WorkerHandle[] {
    return this.#slots.map(({ worker }) => worker).filter(({ ended }) => !ended.aborted);
  }

  async #counts(): Promise<ServerCounts> {
    await Promise.all(this.#slots.map(({ worker }) => worker.updateCounts()));
    const own = { metrics: this.#endedMetrics, memory: this.#options.memory() };
    return this.#livingWorkers()
      .map(({ counts }) => counts)
      .reduce(sumCounts, own);
  }

  #fork(): WorkerHandle {
    return new WorkerHandle(this.#options.fork(), {
      onRequest: (worker, request) => this.#onRequest(worker, request),
      onNotice: (worker, notice) => this.#onNotice(worker, notice),
      onResponsiveness: (worker) => this.#onResponsiveness(worker),
    });
  }

  #replaceAtEnd(slot: WorkerSlot): void {
    slot.worker.ended.addEventListener('abort', () => this.#replace(slot));
  }

  #replace(slot: WorkerSlot): void {
    const { worker } = slot;
    // Its open responses and connections ended with it.
    const { metrics } = worker.counts;
    this.#endedMetrics = sumMetrics(this.#endedMetrics, { ...metrics, openHttp: 0, openSockets: 0 });
    if (!this.#isOpen) return;
    const endedEarly = performance.now() - worker.startedMs < HEALTHY_WORKER_MS;
    slot.failures = endedEarly ? slot.failures + 1 : 1;
    const waitMs =
      slot.failures === 1 ? 0 : Math.min(MIN_RESTART_MS * 2 ** (slot.failures - 2), MAX_RESTART_MS);
    const when = waitMs === 0 ? 'now' : `in ${formatDuration(waitMs)}`;
    const reason = abortReason(worker.ended).message;
    const name = worker.pid === undefined ? 'a worker' : `worker ${worker.pid}`;
    this.#options.log.warn(
      `${name} ended (${reason}): its connections are closed, a new worker starts ${when}`,
    );
    slot.restartTimer = setTimeout(() => {
      slot.worker = this.#fork();
      this.#replaceAtEnd(slot);
    }, waitMs);
    for (const connection of worker.takeUnclaimed()) this.pass(connection);
  }

  /** An unresponsive worker gets no connections until it responds again; other workers get its unclaimed ones. */
  #onResponsiveness(worker: WorkerHandle): void {
    const slot = this.#findSlot(worker);
    if (!slot) return;
    const name = `worker ${worker.pid}`;
    if (worker.isUnresponsive) {
      this.#options.log.warn(`${name} does not respond; it gets no connections until it does`);
      for (const connection of [...worker.takeUnclaimed(), ...slot.waiting.splice(0)]) this.pass(connection);
    } else {
      this.#options.log.warn(`${name} responds again`);
      this.#passWaiting(slot);
    }
  }

  /** Selects the same slot for a session, as long as the same workers respond. */
  #selectSlotOfSession(session: string): WorkerSlot {
    const slots = this.#slotsFrom(fnv1a(session));
    return (slots.find(({ worker }) => !worker.isUnresponsive) ?? slots[0]) as WorkerSlot;
  }

  #selectSlot(): WorkerSlot {
    const slots = this.#slotsFrom(this.#nextSlot++);
    const ready = slots.filter(({ worker }) => worker.isReady && !worker.isUnresponsive);
    const load = ({ worker, waiting }: WorkerSlot): number => worker.unclaimed + waiting.length;
    return (ready.length > 0 ? ready : slots).reduce((best, slot) => (load(slot) < load(best) ? slot : best));
  }

  /** All slots, rotated to start at a position. */
  #slotsFrom(position: number): readonly WorkerSlot[] {
    const first = position % this.#slots.length;
    return [...this.#slots.slice(first), ...this.#slots.slice(0, first)];
  }

  /** The slot of a worker, while the pool is open. */
  #findSlot(worker: WorkerHandle): WorkerSlot | undefined {
    return this.#isOpen ? this.#slots.find((slot) => slot.worker === worker) : undefined;
  }

  #passWaiting({ worker, waiting }: WorkerSlot): void {
    if (!this.#isOpen || !worker.isReady || worker.isUnresponsive) return;
    for (const connection of waiting.splice(0)) worker.pass(connection);
  }

  async #onRequest(worker: WorkerHandle, request: LinkRequest): Promise<unknown> {
    switch (request.name) {
      case 'input':
        return { input: this.#options.input, workers: this.#options.size } satisfies WorkerInput;
      case 'counts':
        return this.#counts();
      case 'add-client':
        return this.#addClient(worker);
      case 'lock':
        return this.#mutex.acquire(request.key, worker.ended);
    }
  }

  #addClient(worker: WorkerHandle): boolean {
    // The clients of a worker that has ended no longer count.
    const clients = this.#slots.reduce((sum, slot) => sum + slot.worker.clients, 0);
    if (clients >= this.#options.maxClients) return false;
    worker.clients++;
    return true;
  }

  #onNotice(worker: WorkerHandle, notice: LinkNotice): void {
    if (notice.kind === 'unlock') this.#mutex.release(notice.key, worker.ended, notice.note);
    else if (notice.kind === 'client-left') worker.clients--;
    else if (notice.kind === 'warning') this.#warnOnce(notice.line);
    else if (notice.kind === 'ready') {
      const slot = this.#findSlot(worker);
      if (!slot) return;
      this.#options.log.debug?.(`worker ${worker.pid} starts`);
      this.#passWaiting(slot);
    }
  }
}
