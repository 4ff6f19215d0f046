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
  /** How many workers. */
  readonly size: number;
  /** Input of the workers: what they serve. */
  readonly input: object;
  readonly fork: () => Worker;
  /** Clients at once, of all workers. */
  readonly maxClients: number;
  readonly log: Pick<ServerLog, 'warn' | 'debug'>;
  /** What this process holds, in bytes. */
  readonly memory: () => MemoryUsage;
}

/** Where one worker follows another. */
interface WorkerSlot {
  member: WorkerHandle;
  /** For its worker, when that takes connections. */
  readonly waiting: PassedConnection[];
  /** Workers in a row that ended soon. */
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/** A worker that lived as long ended for another reason than those before it. */
const HEALTHY_WORKER_MS = 10_000;
const MIN_RESTART_MS = 250;
const MAX_RESTART_MS = 5000;
/** Milliseconds that a worker has to end, after its answers did. */
const WORKER_EXIT_TIMEOUT_MS = 400;

/** The workers of a cluster: one that ends is replaced. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #turns = new RemoteMutex();
  readonly #warnOnce: (line: string) => void;
  /** What workers that ended had counted. */
  #ended = createMetrics();
  #isOpen = false;
  #next = 0;

  /** The workers begin. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#warnOnce = createWarnOnce(options.log.warn);
    this.#slots = Array.from({ length: options.size }, () => {
      const slot = { member: this.#fork(), waiting: [], failures: 0, timer: undefined };
      this.#attend(slot);
      return slot;
    });
  }

  /** Hands connections to workers once all of them are ready. @throws where one ends before: why. */
  async open(): Promise<void> {
    await Promise.all(
      this.#slots.map(({ member }) =>
        member.ready.catch((cause: unknown) => {
          const { code, message } = abortReason(member.gone);
          throw new TickhaulError(code, `a worker ended at its start: ${message}`, { cause });
        }),
      ),
    );
    this.#isOpen = true;
    for (const slot of this.#slots) if (slot.member.gone.aborted) this.#replace(slot);
  }

  /** Gives a connection to the worker that has the fewest waiting, in turns; those of a session to one. */
  take(connection: PassedConnection): void {
    const slot = connection.session === undefined ? this.#choose() : this.#slotOf(connection.session);
    slot.waiting.push(connection);
    this.#hand(slot);
  }

  /** Numbers of the workers' processes. */
  get pids(): readonly (number | undefined)[] {
    return this.#slots.map(({ member }) => member.pid);
  }

  /** Lets answers under way end, for a while; then all workers are gone. */
  async end(graceMs: number): Promise<void> {
    this.#isOpen = false;
    for (const { timer, waiting } of this.#slots) {
      clearTimeout(timer);
      for (const { socket } of waiting) socket.destroy();
    }
    const members = this.#slots.map(({ member }) => member).filter(({ gone }) => !gone.aborted);
    for (const member of members) member.end(graceMs);
    const killing = setTimeout(() => {
      for (const member of members) member.kill();
    }, graceMs + WORKER_EXIT_TIMEOUT_MS);
    await Promise.all(members.map(({ gone }) => waitForAbort(gone)));
    clearTimeout(killing);
    for (const { member } of this.#slots) for (const { socket } of member.takeBack()) socket.destroy();
  }

  async #counts(): Promise<ServerCounts> {
    await Promise.all(this.#slots.map(({ member }) => member.count()));
    const living = this.#slots.map(({ member }) => member).filter(({ gone }) => !gone.aborted);
    const own = { metrics: this.#ended, memory: this.#options.memory() };
    return living.map(({ counts }) => counts).reduce(sumCounts, own);
  }

  #fork(): WorkerHandle {
    return new WorkerHandle(this.#options.fork(), {
      onRequest: (member, question) => this.#answer(member, question),
      onNotice: (member, notice) => this.#hear(member, notice),
      onBeat: (member) => this.#onBeat(member),
    });
  }

  #attend(slot: WorkerSlot): void {
    const { member } = slot;
    member.gone.addEventListener('abort', () => this.#replace(slot));
  }

  #replace(slot: WorkerSlot): void {
    const { member } = slot;
    // Open ones ended with it.
    const { metrics } = member.counts;
    this.#ended = sumMetrics(this.#ended, { ...metrics, openHttp: 0, openSockets: 0 });
    if (!this.#isOpen) return;
    const isSoon = performance.now() - member.startedMs < HEALTHY_WORKER_MS;
    slot.failures = isSoon ? slot.failures + 1 : 1;
    const waitMs =
      slot.failures === 1 ? 0 : Math.min(MIN_RESTART_MS * 2 ** (slot.failures - 2), MAX_RESTART_MS);
    const when = waitMs === 0 ? 'now' : `in ${formatDuration(waitMs)}`;
    const how = abortReason(member.gone).message;
    const who = member.pid === undefined ? 'a worker' : `worker ${member.pid}`;
    this.#options.log.warn(`${who} ended (${how}): its connections are cut, another takes its place ${when}`);
    slot.timer = setTimeout(() => {
      slot.member = this.#fork();
      this.#attend(slot);
    }, waitMs);
    for (const connection of member.takeBack()) this.take(connection);
  }

  /** What a worker that is stopped has not taken up goes to others; it gets no more until it answers again. */
  #onBeat(member: WorkerHandle): void {
    const slot = this.#slots.find((one) => one.member === member);
    if (!slot || !this.#isOpen) return;
    const who = `worker ${member.pid}`;
    if (member.isSilent) {
      this.#options.log.warn(`${who} does not answer: it gets no connections until it does`);
      for (const connection of [...member.takeBack(), ...slot.waiting.splice(0)]) this.take(connection);
    } else {
      this.#options.log.warn(`${who} answers again`);
      this.#hand(slot);
    }
  }

  /** Always the same, as long as the same workers answer. */
  #slotOf(session: string): WorkerSlot {
    const turned = this.#turned(fnv1a(session));
    return (turned.find(({ member }) => !member.isSilent) ?? turned[0]) as WorkerSlot;
  }

  #choose(): WorkerSlot {
    const turned = this.#turned(this.#next++);
    const ready = turned.filter(({ member }) => member.isReady && !member.isSilent);
    const load = ({ member, waiting }: WorkerSlot): number => member.given + waiting.length;
    return (ready.length > 0 ? ready : turned).reduce((best, slot) =>
      load(slot) < load(best) ? slot : best,
    );
  }

  /** All of them, from one on. */
  #turned(from: number): readonly WorkerSlot[] {
    const first = from % this.#slots.length;
    return [...this.#slots.slice(first), ...this.#slots.slice(0, first)];
  }

  #hand({ member, waiting }: WorkerSlot): void {
    if (!this.#isOpen || !member.isReady || member.isSilent) return;
    for (const connection of waiting.splice(0)) member.hand(connection);
  }

  async #answer(member: WorkerHandle, question: LinkRequest): Promise<unknown> {
    switch (question.name) {
      case 'input':
        return { input: this.#options.input, workers: this.#options.size } satisfies WorkerInput;
      case 'counts':
        return this.#counts();
      case 'enter':
        return this.#enter(member);
      case 'turn':
        return this.#turns.acquire(question.work, member.gone);
    }
  }

  #enter(member: WorkerHandle): boolean {
    // Clients of a worker that ended are gone with it.
    const clients = this.#slots.reduce((sum, slot) => sum + slot.member.clients, 0);
    if (clients >= this.#options.maxClients) return false;
    member.clients++;
    return true;
  }

  #hear(member: WorkerHandle, notice: LinkNotice): void {
    if (notice.kind === 'done') this.#turns.release(notice.work, member.gone, notice.note);
    else if (notice.kind === 'left') member.clients--;
    else if (notice.kind === 'warning') this.#warnOnce(notice.line);
    else if (notice.kind === 'ready') {
      const slot = this.#slots.find((one) => one.member === member);
      if (!slot || !this.#isOpen) return;
      this.#options.log.debug?.(`worker ${member.pid} begins`);
      this.#hand(slot);
    }
  }
}
