import type { Worker } from 'node:cluster';
import type { IncomingMessage } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { Semaphore } from '../../base/semaphore.js';
import { formatDuration } from '../../base/units.js';
import { onAbort, waitForAbort } from '../../base/wait.js';
import { createWarnOnce } from '../client-limits.js';
import { readTarget } from '../endpoints.js';
import { listenOnAdjacentPorts, type ServerPorts } from '../listen-on-adjacent-ports.js';
import { parseSessionKey } from '../request-options.js';
import type { ServerLog } from '../server-context.js';
import {
  createMetrics,
  type MemoryUsage,
  type ServerCounts,
  sumCounts,
  sumMetrics,
} from '../server-metrics.js';
import { createUpgradeServer } from '../socket/socket-server.js';
import type { LinkNotice, LinkRequest, WorkerInput } from './process-link.js';
import { type PassedConnection, WorkerHandle } from './worker-handle.js';

interface ClusterOptions extends WorkerPoolOptions {
  readonly port: number;
  readonly host: string;
  /** Runs once after the ports are open and before the workers start. */
  readonly prepare: () => Promise<void>;
}

export interface RunningCluster extends ServerPorts {
  /** Refuses new connections and waits for open responses, at most for the grace period. */
  close(graceMs: number): Promise<void>;
  /** Process ids of the workers. */
  readonly pids: readonly (number | undefined)[];
}

/**
 * Starts the local replay server in several processes. This process owns the ports and passes each connection to a
 * worker. Resolves when all workers are ready.
 * @throws usage error for a port in use or an address that does not belong to this machine, before any worker starts; the
 * error of a worker that fails to start.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const pool = new WorkerPool(options);
  // HTTP connections are passed on unread.
  const http = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    pool.pass({ kind: 'http', socket, head: '', session: undefined });
  });
  // The handshake contains the session key; the client sends nothing more before the response.
  const sockets = createUpgradeServer();
  sockets.on('upgrade', (request, stream, head) => {
    // Node's http server emits only net.Socket here, although the type is Duplex.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const handshake = formatRequest(request) + head.toString('latin1');
    pool.pass({ kind: 'websocket', socket, head: handshake, session: readSessionKey(request) });
  });
  const { stop, ...ports } = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  const close = (graceMs: number): Promise<void> => {
    stop();
    http.close();
    sockets.close();
    sockets.closeAllConnections();
    return pool.end(graceMs);
  };
  try {
    await options.prepare();
    await pool.open();
  } catch (error) {
    await close(0);
    throw error;
  }
  return { ...ports, close, pids: pool.pids };
}

function readSessionKey({ url }: IncomingMessage): string | undefined {
  const { path, query } = readTarget(url);
  return path === '/ws-replay' ? parseSessionKey(query) : undefined;
}

/** Restores the bytes of a request. */
function formatRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

interface WorkerPoolOptions {
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
  /** Number of consecutive workers that ended early. */
  failures: number;
  restartTimer: NodeJS.Timeout | undefined;
}

/** A replay session, all connections of which are passed to one worker. */
interface SharedSession {
  readonly worker: WorkerHandle;
  connections: number;
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
  #slots: readonly WorkerSlot[] = [];
  readonly #mutex = new RemoteMutex();
  readonly #warnOnce: (line: string) => void;
  /** Metrics of the workers that have ended. */
  #endedMetrics = createMetrics();
  #isOpen = false;
  /** Connections that no worker was free for. */
  #waiting: PassedConnection[] = [];
  #nextSlot = 0;
  /** Sessions with open connections, by their keys. */
  readonly #sessions = new Map<string, SharedSession>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#warnOnce = createWarnOnce(options.log.warn);
  }

  /**
   * Starts the workers, and passes connections on once all are ready. @throws the error of a worker that ends before.
   */
  async open(): Promise<void> {
    this.#slots = Array.from({ length: this.#options.size }, () => {
      const slot = { worker: this.#fork(), failures: 0, restartTimer: undefined };
      this.#replaceAtEnd(slot);
      return slot;
    });
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
    this.#passWaiting();
  }

  /** Passes a connection to the next worker that is free, or to the worker of its session, if necessary later. */
  pass(connection: PassedConnection): void {
    this.#waiting.push(connection);
    this.#passWaiting();
  }

  /** Process ids of the workers. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ worker }) => worker.pid);
  }

  /** Waits for open responses, at most for the grace period, and until all workers have ended. */
  async end(graceMs: number): Promise<void> {
    this.#isOpen = false;
    for (const { restartTimer } of this.#slots) clearTimeout(restartTimer);
    for (const { socket } of this.#waiting) socket.destroy();
    const workers = this.#livingWorkers();
    for (const worker of workers) worker.end(graceMs);
    const killTimer = setTimeout(() => {
      for (const worker of workers) worker.kill();
    }, graceMs + WORKER_EXIT_TIMEOUT_MS);
    await Promise.all(workers.map(({ ended }) => waitForAbort(ended)));
    clearTimeout(killTimer);
    for (const { worker } of this.#slots) worker.takeUnaccepted()?.socket.destroy();
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
    const unaccepted = worker.takeUnaccepted();
    if (unaccepted) this.pass(unaccepted);
  }

  #passWaiting(): void {
    if (!this.#isOpen) return;
    this.#waiting = this.#waiting.filter((connection) => {
      const worker = this.#selectWorker(connection);
      worker?.pass(connection);
      return worker === undefined;
    });
  }

  /** The worker to pass a connection to; undefined if it has to wait. */
  #selectWorker({ session }: PassedConnection): WorkerHandle | undefined {
    const shared = session === undefined ? undefined : this.#sessions.get(session);
    if (shared && !shared.worker.ended.aborted) {
      if (!shared.worker.isFree) return undefined;
      shared.connections++;
      return shared.worker;
    }
    const workers = this.#slots.map(({ worker }) => worker);
    const inTurn = [...workers.slice(this.#nextSlot), ...workers.slice(0, this.#nextSlot)];
    const next = inTurn.find(({ isFree }) => isFree);
    if (!next) return undefined;
    this.#nextSlot = (workers.indexOf(next) + 1) % workers.length;
    if (session !== undefined) this.#sessions.set(session, { worker: next, connections: 1 });
    return next;
  }

  #leaveSession(worker: WorkerHandle, key: string): void {
    const session = this.#sessions.get(key);
    if (session?.worker === worker && --session.connections === 0) this.#sessions.delete(key);
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
    else if (notice.kind === 'session-left') this.#leaveSession(worker, notice.session);
    else if (notice.kind === 'accepted') this.#passWaiting();
    else if (notice.kind === 'ready') {
      if (this.#isOpen) this.#options.log.debug?.(`worker ${worker.pid} starts`);
      this.#passWaiting();
    }
  }
}

interface RemoteLock {
  readonly semaphore: Semaphore;
  /** The worker that holds the lock; `ended` identifies it. */
  holder?: { readonly ended: AbortSignal; release(): void } | undefined;
}

/** Limits memory: only the latest notes are needed. */
const MAX_NOTES = 10_000;

/** Locks by key for several worker processes. Each holder can leave a number (note) for the next holder. */
export class RemoteMutex {
  readonly #locks = new Map<string, RemoteLock>();
  readonly #notes = new Map<string, number>();

  /**
   * Acquires a lock and resolves with the note of the previous holder. The lock is held until `release`, or until the
   * worker has ended. The promise of a worker that ends while it waits never resolves.
   */
  acquire(key: string, ended: AbortSignal): Promise<number | undefined> {
    const lock = this.#locks.get(key) ?? { semaphore: new Semaphore(1) };
    this.#locks.set(key, lock);
    return new Promise((resolve) => {
      lock.semaphore.acquire(1, ended).then(
        (releaseSemaphore) => {
          const release = (): void => {
            lock.holder = undefined;
            ended.removeEventListener('abort', release);
            releaseSemaphore();
            this.#deleteIfIdle(key, lock);
          };
          lock.holder = { ended, release };
          onAbort(ended, release);
          resolve(this.#notes.get(key));
        },
        () => this.#deleteIfIdle(key, lock),
      );
    });
  }

  /** Releases the lock if this worker holds it. */
  release(key: string, ended: AbortSignal, note: number | undefined): void {
    const holder = this.#locks.get(key)?.holder;
    if (holder?.ended !== ended) return;
    if (note !== undefined) this.#addNote(key, note);
    holder.release();
  }

  #deleteIfIdle(key: string, lock: RemoteLock): void {
    if (lock.semaphore.isIdle && this.#locks.get(key) === lock) this.#locks.delete(key);
  }

  #addNote(key: string, note: number): void {
    this.#notes.set(key, note);
    const [oldest = key] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES) this.#notes.delete(oldest);
  }
}
