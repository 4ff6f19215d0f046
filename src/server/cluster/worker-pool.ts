import type { Worker } from 'node:cluster';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { waitForAbort } from '../../base/wait.js';
import { fnv1a } from '../../dataset/shard.js';
import type { ServerLog } from '../serve-options.js';
import {
  createMetrics,
  type MemoryUsage,
  type ServerCounts,
  sumCounts,
  sumMetrics,
} from '../server-metrics.js';
import { createWarnOnce } from '../warn-once.js';
import type { PassedConnection } from './listeners.js';
import type { LinkNotice, LinkRequest, WorkerInput } from './process-link.js';
import { RemoteMutex } from './remote-mutex.js';
import { WorkerHandle } from './worker-handle.js';

export interface WorkerPoolOptions {
  /** Number of workers. */
  readonly size: number;
  /** Options of the server for the workers. */
  readonly input: object;
  readonly fork: () => Worker;
  /** Maximum number of concurrent clients over all workers. */
  readonly maxClients: number;
  readonly log: Pick<ServerLog, 'warn' | 'debug'>;
  /** Memory of this process. */
  readonly memory: () => MemoryUsage;
}

/** A worker, or the one that replaces it. */
interface WorkerSlot {
  worker: WorkerHandle;
  /** Connections to pass when the worker is ready. */
  readonly waiting: PassedConnection[];
  /** Number of consecutive workers that ended early. */
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/** A worker that ran this long did not fail for the reason of those before it. */
const HEALTHY_WORKER_MS = 10_000;
const MIN_RESTART_MS = 250;
const MAX_RESTART_MS = 5000;
/** Time for a worker to exit after its responses have ended. */
const WORKER_EXIT_TIMEOUT_MS = 400;

/** The workers of a cluster. A worker that ends is replaced. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #mutex = new RemoteMutex();
  readonly #warnOnce: (line: string) => void;
  /** Sum of the counts of ended workers. */
  #ended = createMetrics();
  #isOpen = false;
  #next = 0;

  /** Starts the workers. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#warnOnce = createWarnOnce(options.log.warn);
    this.#slots = Array.from({ length: options.size }, () => {
      const slot = { worker: this.#fork(), waiting: [], failures: 0, timer: undefined };
      this.#watch(slot);
      return slot;
    });
  }

  /** Waits until all workers are ready to accept connections. @throws the error of a worker that ends before. */
  async open(): Promise<void> {
    await Promise.all(
      this.#slots.map(({ worker }) =>
        worker.ready.catch((cause: unknown) => {
          const { code, message } = abortReason(worker.gone);
          throw new TickhaulError(code, `a worker failed to start: ${message}`, { cause });
        }),
      ),
    );
    this.#isOpen = true;
    for (const slot of this.#slots) if (slot.worker.gone.aborted) this.#replace(slot);
  }

  /** Passes a connection to the worker with the fewest waiting ones; those of a session to the same worker. */
  pass(connection: PassedConnection): void {
    const slot = connection.session === undefined ? this.#choose() : this.#slotOf(connection.session);
    slot.waiting.push(connection);
    this.#passWaiting(slot);
  }

  /** Process ids of the workers. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ worker }) => worker.pid);
  }

  /** Shuts all workers down; responses in flight get `graceMs`. */
  async end(graceMs: number): Promise<void> {
    this.#isOpen = false;
    for (const { timer, waiting } of this.#slots) {
      clearTimeout(timer);
      for (const { socket } of waiting) socket.destroy();
    }
    const workers = this.#slots.map(({ worker }) => worker).filter(({ gone }) => !gone.aborted);
    for (const worker of workers) worker.end(graceMs);
    const killing = setTimeout(() => {
      for (const worker of workers) worker.kill();
    }, graceMs + WORKER_EXIT_TIMEOUT_MS);
    await Promise.all(workers.map(({ gone }) => waitForAbort(gone)));
    clearTimeout(killing);
    for (const { worker } of this.#slots) for (const { socket } of worker.reclaim()) socket.destroy();
  }

  async #counts(): Promise<ServerCounts> {
    await Promise.all(this.#slots.map(({ worker }) => worker.count()));
    const running = this.#slots.map(({ worker }) => worker).filter(({ gone }) => !gone.aborted);
    const own = { metrics: this.#ended, memory: this.#options.memory() };
    return running.map(({ counts }) => counts).reduce(sumCounts, own);
  }

  #fork(): WorkerHandle {
    return new WorkerHandle(this.#options.fork(), {
      onRequest: (worker, request) => this.#respond(worker, request),
      onNotice: (worker, notice) => this.#onNotice(worker, notice),
      onSilence: (worker) => this.#onSilence(worker),
    });
  }

  #watch(slot: WorkerSlot): void {
    const { worker } = slot;
    worker.gone.addEventListener('abort', () => this.#replace(slot));
  }

  #replace(slot: WorkerSlot): void {
    const { worker } = slot;
    // Its open connections ended with it.
    const { metrics } = worker.counts;
    this.#ended = sumMetrics(this.#ended, { ...metrics, openHttp: 0, openSockets: 0 });
    if (!this.#isOpen) return;
    const isSoon = performance.now() - worker.startedMs < HEALTHY_WORKER_MS;
    slot.failures = isSoon ? slot.failures + 1 : 1;
    const waitMs =
      slot.failures === 1 ? 0 : Math.min(MIN_RESTART_MS * 2 ** (slot.failures - 2), MAX_RESTART_MS);
    const when = waitMs === 0 ? 'now' : `in ${formatDuration(waitMs)}`;
    const how = abortReason(worker.gone).message;
    const who = worker.pid === undefined ? 'a worker' : `worker ${worker.pid}`;
    this.#options.log.warn(`${who} ended (${how}): its connections are closed, a new worker starts ${when}`);
    slot.timer = setTimeout(() => {
      slot.worker = this.#fork();
      this.#watch(slot);
    }, waitMs);
    for (const connection of worker.reclaim()) this.pass(connection);
  }

  /** Passes unclaimed connections of a silent worker to others. It gets no more until it responds again. */
  #onSilence(worker: WorkerHandle): void {
    const slot = this.#slots.find((slot) => slot.worker === worker);
    if (!slot || !this.#isOpen) return;
    const who = `worker ${worker.pid}`;
    if (worker.isSilent) {
      this.#options.log.warn(`${who} does not respond; it gets no connections until it does`);
      for (const connection of [...worker.reclaim(), ...slot.waiting.splice(0)]) this.pass(connection);
    } else {
      this.#options.log.warn(`${who} responds again`);
      this.#passWaiting(slot);
    }
  }

  /** The same slot for a session as long as the same workers respond. */
  #slotOf(session: string): WorkerSlot {
    const slots = this.#slotsFrom(fnv1a(session));
    return (slots.find(({ worker }) => !worker.isSilent) ?? slots[0]) as WorkerSlot;
  }

  #choose(): WorkerSlot {
    const slots = this.#slotsFrom(this.#next++);
    const ready = slots.filter(({ worker }) => worker.isReady && !worker.isSilent);
    const load = ({ worker, waiting }: WorkerSlot): number => worker.unclaimed + waiting.length;
    return (ready.length > 0 ? ready : slots).reduce((best, slot) => (load(slot) < load(best) ? slot : best));
  }

  /** All slots, starting at an index. */
  #slotsFrom(from: number): readonly WorkerSlot[] {
    const first = from % this.#slots.length;
    return [...this.#slots.slice(first), ...this.#slots.slice(0, first)];
  }

  #passWaiting({ worker, waiting }: WorkerSlot): void {
    if (!this.#isOpen || !worker.isReady || worker.isSilent) return;
    for (const connection of waiting.splice(0)) worker.pass(connection);
  }

  async #respond(worker: WorkerHandle, request: LinkRequest): Promise<unknown> {
    switch (request.name) {
      case 'input':
        return { input: this.#options.input, workers: this.#options.size } satisfies WorkerInput;
      case 'counts':
        return this.#counts();
      case 'enter':
        return this.#enter(worker);
      case 'turn':
        return this.#mutex.acquire(request.work, worker.gone);
    }
  }

  #enter(worker: WorkerHandle): boolean {
    // The clients of an ended worker are not counted.
    const clients = this.#slots.reduce((sum, slot) => sum + slot.worker.clients, 0);
    if (clients >= this.#options.maxClients) return false;
    worker.clients++;
    return true;
  }

  #onNotice(worker: WorkerHandle, notice: LinkNotice): void {
    if (notice.kind === 'done') this.#mutex.release(notice.work, worker.gone, notice.note);
    else if (notice.kind === 'left') worker.clients--;
    else if (notice.kind === 'warning') this.#warnOnce(notice.line);
    else if (notice.kind === 'ready') {
      const slot = this.#slots.find((slot) => slot.worker === worker);
      if (!slot || !this.#isOpen) return;
      this.#options.log.debug?.(`worker ${worker.pid} starts`);
      this.#passWaiting(slot);
    }
  }
}
