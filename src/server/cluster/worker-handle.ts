import type { Worker } from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort, withTimeout } from '../../base/wait.js';
import { createMetrics, type ServerCounts } from '../server-metrics.js';
import type { PassedConnection } from './listeners.js';
import { type LinkNotice, type LinkRequest, ProcessLink } from './process-link.js';

/** Milliseconds that a worker has to tell its counts; its last ones stand for those of one that is busy. */
const COUNTS_TIMEOUT_MS = 5000;
/** Milliseconds between two questions whether it answers, and without an answer after which it is silent. */
const BEAT_MS = 1000;
const SILENT_MS = 3000;

export interface WorkerHandler {
  onRequest(member: WorkerHandle, question: LinkRequest): Promise<unknown>;
  onNotice(member: WorkerHandle, notice: LinkNotice): void;
  /** It answers no more, or does again: `isSilent` says which. */
  onBeat(member: WorkerHandle): void;
}

/** A worker, as the primary process knows it. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #link: ProcessLink;
  readonly #gone = new AbortController();
  readonly startedMs = performance.now();
  /** Connections that it was given and hasn't taken up, by the numbers under which it claims them. */
  readonly #given = new Map<number, PassedConnection>();
  #connections = 0;
  readonly #end: WorkerHandler;
  #beating: NodeJS.Timeout | undefined;
  #isSilent = false;
  /** How many it serves. */
  clients = 0;
  /** The counts that the worker last reported. */
  counts: ServerCounts = {
    metrics: createMetrics(),
    memory: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 },
  };
  /** Resolves when it takes connections; rejects where it ended before. */
  readonly ready: Promise<void>;
  #isReady = false;
  /** Why the worker ends, if it reported that. */
  #failure: TickhaulError | undefined;

  constructor(worker: Worker, end: WorkerHandler) {
    this.#worker = worker;
    this.#end = end;
    // Each of its turns listens.
    setMaxListeners(0, this.gone);
    let resolveReady = (): void => {};
    const ready = new Promise<void>((resolve) => {
      resolveReady = resolve;
    });
    this.ready = rejectOnAbort(ready, this.gone);
    // Without a waiting caller, the signal reports the end.
    this.ready.catch(() => {});
    this.#link = new ProcessLink(worker, {
      onRequest: async (question) =>
        question.name === 'claim' ? this.#claim(question.connection) : end.onRequest(this, question),
      onNotice: (notice) => {
        if (notice.kind === 'ready') {
          this.#isReady = true;
          resolveReady();
          this.#beat();
        } else if (notice.kind === 'failed') {
          this.#failure = new TickhaulError(notice.error.code, notice.error.message);
        }
        end.onNotice(this, notice);
      },
    });
    worker.once('exit', (code, signal) => {
      const leave = (): void =>
        this.#leave(
          // A signal to a worker is no word to end the server.
          this.#failure ?? new TickhaulError('bug', signal ?? `code ${code}`),
        );
      // Its last message may still arrive.
      if (worker.isConnected()) worker.once('disconnect', leave);
      else leave();
    });
    // What began tells of its end by itself; a signal or message that doesn't reach it is no end.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) this.#leave(new TickhaulError('bug', error.message));
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

  /** Whether it was asked, and answers nothing: it is stopped, or busy for long. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** How many connections it was given and hasn't taken up. */
  get given(): number {
    return this.#given.size;
  }

  /** Of its process; undefined where that couldn't begin. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  hand(given: PassedConnection): void {
    const { kind, head, socket } = given;
    const connection = ++this.#connections;
    this.#given.set(connection, given);
    this.#link.tell({ kind, connection, head }, socket);
  }

  /** Takes back the connections that it hasn't taken up. */
  takeBack(): readonly PassedConnection[] {
    const given = [...this.#given.values()];
    this.#given.clear();
    return given;
  }

  /** Requests its counts again. */
  async count(): Promise<void> {
    if (!this.isReady || this.#isSilent) return;
    const asked = this.#link.ask({ name: 'counts' });
    const counts = await withTimeout(asked, COUNTS_TIMEOUT_MS).catch(() => undefined);
    if (counts !== undefined) this.counts = counts as ServerCounts;
  }

  /** Lets it end by itself, where it began, and answers: one that is stopped would be waited for in vain. */
  end(graceMs: number): void {
    if (this.#isReady && !this.#isSilent) this.#link.tell({ kind: 'end', graceMs });
    else this.kill();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Its own end of a connection stays open; that here is closed before the worker reads. */
  #claim(connection: number): boolean {
    const given = this.#given.get(connection);
    this.#given.delete(connection);
    given?.socket.destroy();
    return given !== undefined;
  }

  /** Asks again and again whether it answers. */
  #beat(): void {
    const silent = setTimeout(() => this.#setSilent(true), SILENT_MS).unref();
    this.#link.ask({ name: 'beat' }).then(
      () => {
        clearTimeout(silent);
        this.#setSilent(false);
        this.#beating = setTimeout(() => this.#beat(), BEAT_MS).unref();
      },
      // It is gone.
      () => clearTimeout(silent),
    );
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent || this.gone.aborted) return;
    this.#isSilent = isSilent;
    this.#end.onBeat(this);
  }

  #leave(why: TickhaulError): void {
    clearTimeout(this.#beating);
    this.#gone.abort(why);
  }
}
