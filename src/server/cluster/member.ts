import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { orAborted } from '../../base/wait.js';
import { type Counts, newMetrics } from '../metrics.js';
import type { Arrival } from './doors.js';
import { Link, type Question, type Told } from './link.js';

/** Milliseconds that a worker has to tell its counts; its last ones stand for those of one that is busy. */
const COUNTS_MS = 5000;

export interface MemberEnd {
  answer(member: Member, question: Question): Promise<unknown>;
  hear(member: Member, told: Told): void;
}

/** A worker, as the primary process knows it. */
export class Member {
  readonly #worker: Worker;
  readonly #link: Link;
  readonly #gone = new AbortController();
  readonly startedMs = performance.now();
  /** Connections that are not on their way yet. */
  readonly unsent = new Set<Arrival>();
  /** What it last told of itself. */
  counts: Counts = {
    metrics: newMetrics(),
    memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 },
  };
  /** Resolves when it takes connections; rejects where it ended before. */
  readonly ready: Promise<void>;
  #isReady = false;

  constructor(worker: Worker, end: MemberEnd) {
    this.#worker = worker;
    // Each of its turns listens.
    setMaxListeners(0, this.gone);
    let settle = (): void => {};
    const ready = new Promise<void>((resolve) => {
      settle = resolve;
    });
    this.ready = orAborted(ready, this.gone);
    // Whoever doesn't wait for it learns of its end from the signal.
    this.ready.catch(() => {});
    this.#link = new Link(worker, {
      answer: (question) => end.answer(this, question),
      hear: (told) => {
        if (told.told === 'ready') {
          this.#isReady = true;
          settle();
        }
        end.hear(this, told);
      },
    });
    worker.once('exit', (code, signal) => this.#leave(signal ?? `code ${code}`));
    // What began tells of its end by itself; a signal or message that doesn't reach it is no end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#leave(error.message);
    });
  }

  /** Aborted when it ended; the reason says how. */
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

  hand(arrival: Arrival): void {
    const { told, head, socket } = arrival;
    this.unsent.add(arrival);
    this.#link.tell({ told, head }, socket, (error) => {
      this.unsent.delete(arrival);
      if (error) socket.destroy();
    });
  }

  /** Asks for its counts anew. */
  async count(): Promise<void> {
    if (!this.isReady) return;
    const asked = this.#link.ask({ name: 'counts' });
    const counts = await orAborted(asked, AbortSignal.timeout(COUNTS_MS)).catch(() => undefined);
    if (counts !== undefined) this.counts = counts as Counts;
  }

  /** Lets it end by itself, where it began. */
  end(graceMs: number): void {
    if (this.#isReady) this.#link.tell({ told: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #leave(how: string): void {
    this.#gone.abort(new TickhaulError('terminated', how));
  }
}
