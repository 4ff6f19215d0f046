import { TickhaulError } from '../../base/errors.js';
import type { RunLock } from '../lock/run-lock.js';
import { LEASE_GIVE_UP_MS, LEASE_REFRESH_MS, LEASE_STALE_MS, type LeaseClock } from './lease-clock.js';
import type { ObjectStore } from './object-store.js';
import { withShutdownTimeout } from './shutdown-timeout.js';

/** When a lease's object was last put. */
export interface LeaseRefresh {
  /** By our clock, before it was. */
  readonly startedMs: number;
  /** By the store's. */
  readonly modified: number;
}

/**
 * Keeps a lease alive: puts its object again every 30 seconds. It is lost when the object is gone, when the store's
 * clock shows a gap in which others may have taken it for dead (a machine that slept), or when it couldn't be put for
 * four minutes. Not in a thread of its own, as a folder's lock is: that would need a client of the store for itself. A
 * busy event loop has four minutes, and the first thing that it does after them is to end the run.
 */
export class LeaseHeartbeat implements RunLock {
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #body: Buffer;
  readonly #clock: LeaseClock;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  /** Breaks off a sign of life that is on its way. */
  readonly #over = new AbortController();
  readonly #beating: Promise<void>;
  #last: LeaseRefresh;
  #released: Promise<void> | undefined;

  constructor(store: ObjectStore, key: string, body: Buffer, last: LeaseRefresh, clock: LeaseClock) {
    this.#store = store;
    this.#key = key;
    this.#body = body;
    this.#last = last;
    this.#clock = clock;
    this.#beating = this.#beat();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  release(): Promise<void> {
    this.#released ??= this.#giveBack();
    return this.#released;
  }

  /**
   * The object bears a name that nobody else uses: it is removed whatever others made of it. One that the store doesn't
   * remove in time is dead in some minutes, and no reason for a run to fail that did its work.
   */
  async #giveBack(): Promise<void> {
    this.#stop.abort();
    const remove = async (signal: AbortSignal): Promise<void> => {
      // One that arrived later would put the object again.
      await this.#beating;
      await this.#store.remove([this.#key], signal);
    };
    try {
      await withShutdownTimeout(`${this.#store.name}/${this.#key}`, remove, this.#clock);
    } catch (error) {
      if (!(error instanceof TickhaulError)) throw error;
    } finally {
      this.#over.abort();
    }
  }

  async #beat(): Promise<void> {
    while (!this.#stop.signal.aborted && !this.lost.aborted) {
      const isStopped = await this.#clock.wait(LEASE_REFRESH_MS, this.#stop.signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return;
      await this.#refreshInTime();
    }
  }

  /** One that fails is tried again with the next beat, as long as there is time. */
  async #refreshInTime(): Promise<void> {
    const left = this.#last.startedMs + LEASE_GIVE_UP_MS - this.#clock.now();
    if (left <= 0) return this.#lose('as this one was held up for long');
    const done = new AbortController();
    const tooLate = this.#clock.wait(left, done.signal).then(
      () => this.#lose('as the store took no sign of life of this one for four minutes'),
      () => {},
    );
    // What the store refuses it may take the next time.
    const refreshing = this.#refresh().catch(() => {});
    await Promise.race([refreshing, tooLate]);
    done.abort();
  }

  async #refresh(): Promise<void> {
    const begun = this.#clock.now();
    const there = await this.#store.head(this.#key, this.#over.signal);
    if (!there) return this.#lose('or removed it');
    if (there.modified - this.#last.modified > LEASE_STALE_MS)
      return this.#lose('as this one was held up for long');
    await this.#store.put(this.#key, this.#body, this.#over.signal);
    this.#last = { startedMs: begun, modified: there.modified };
  }

  #lose(why: string): void {
    const { name } = this.#store;
    const message = `${name}/${this.#key}: another run may have taken the lock over, ${why}`;
    this.#lost.abort(new TickhaulError('locked', message));
    this.#over.abort(this.lost.reason);
  }
}
