import { TickhaulError } from '../../base/errors.js';
import type { RunLock } from '../lock/run-lock.js';
import { LEASE_GIVE_UP_MS, LEASE_REFRESH_MS, LEASE_STALE_MS, type LeaseClock } from './lease-clock.js';
import type { ObjectStore } from './object-store.js';
import { withShutdownTimeout } from './shutdown-timeout.js';

/** The last refresh of a lease's object. */
export interface LeaseRefresh {
  /** By this machine's clock, before the request. */
  readonly startedMs: number;
  /** By the store's clock. */
  readonly modified: number;
}

/**
 * Keeps a lease alive by putting its object every 30 seconds (docs/spec/s3-layout.md#leases). The lease is
 * lost if the object is gone, if it could not be put for four minutes, or if the store's clock shows a gap in
 * which others may have considered it dead, for example after the machine slept. Unlike the heartbeat of a
 * folder's lock, it does not use a thread, which would need its own connection. A busy event loop has four
 * minutes, and then ends the run first.
 */
export class LeaseHeartbeat implements RunLock {
  readonly #store: ObjectStore;
  readonly #key: string;
  readonly #body: Buffer;
  readonly #clock: LeaseClock;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  /** Aborts the refresh in flight. */
  readonly #refreshAbort = new AbortController();
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
    this.#released ??= this.#removeObject();
    return this.#released;
  }

  /**
   * Removes the object, whose name is unique, whatever it contains by now. If the store does not remove it in
   * time, it is dead after some minutes, so this is no reason to fail a successful run.
   */
  async #removeObject(): Promise<void> {
    this.#stop.abort();
    const remove = async (signal: AbortSignal): Promise<void> => {
      // Wait for a refresh in flight, which would otherwise write the object again.
      await this.#beating;
      await this.#store.remove([this.#key], signal);
    };
    try {
      await withShutdownTimeout(`${this.#store.name}/${this.#key}`, remove, this.#clock);
    } catch (error) {
      if (!(error instanceof TickhaulError)) throw error;
    } finally {
      this.#refreshAbort.abort();
    }
  }

  async #beat(): Promise<void> {
    while (!this.#stop.signal.aborted && !this.lost.aborted) {
      const isStopped = await this.#clock.wait(LEASE_REFRESH_MS, this.#stop.signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return;
      await this.#refreshWithTimeout();
    }
  }

  /** Ignores errors: the next refresh tries again, as long as there is time. */
  async #refreshWithTimeout(): Promise<void> {
    const leftMs = this.#last.startedMs + LEASE_GIVE_UP_MS - this.#clock.now();
    if (leftMs <= 0) return this.#lose('because this run was suspended for too long');
    const done = new AbortController();
    const timeout = this.#clock.wait(leftMs, done.signal).then(
      () => this.#lose('because the store accepted no refresh from this run for four minutes'),
      () => {},
    );
    // The store may accept a later refresh even after refusing this one.
    const refreshing = this.#refresh().catch(() => {});
    await Promise.race([refreshing, timeout]);
    done.abort();
  }

  async #refresh(): Promise<void> {
    const startedMs = this.#clock.now();
    const current = await this.#store.head(this.#key, this.#refreshAbort.signal);
    if (!current) return this.#lose('or removed it');
    if (current.modified - this.#last.modified > LEASE_STALE_MS)
      return this.#lose('because this run was suspended for too long');
    await this.#store.put(this.#key, this.#body, this.#refreshAbort.signal);
    this.#last = { startedMs, modified: current.modified };
  }

  #lose(reason: string): void {
    const { name } = this.#store;
    const message = `${name}/${this.#key}: another run may have taken over the lock, ${reason}`;
    this.#lost.abort(new TickhaulError('locked', message));
    this.#refreshAbort.abort(this.lost.reason);
  }
}
