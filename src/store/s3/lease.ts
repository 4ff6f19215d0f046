import { randomBytes } from 'node:crypto';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import { type AcquireLockOptions, waitForLock } from '../lock/acquire-run-lock.js';
import {
  createLockHolder,
  formatLockHolder,
  isHolderGone,
  type LockHolder,
  parseLockHolder,
} from '../lock/lock-holder.js';
import type { LockOwner, RunLock } from '../lock/run-lock.js';
import { LEASE_CLOCK, LEASE_GIVE_UP_MS, LEASE_STALE_MS, type LeaseClock } from './lease-clock.js';
import { LeaseHeartbeat } from './lease-heartbeat.js';
import { formatKeyTime } from './manifest/manifest-keys.js';
import type { ObjectStore, StoredObject } from './object-store.js';
import { withShutdownTimeout } from './shutdown-timeout.js';

/** Held until released, or until its process ends and five minutes are over. */
export interface StoreLease extends RunLock {
  /** When it was taken, in milliseconds since the epoch by the store's clock. */
  readonly acquiredMs: number;
}

export interface TryLeaseOptions {
  /** Alone; else beside others that share. */
  readonly exclusive: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Under `.tickhaul/`, where leases lie that have to do with each other. */
  readonly folder?: string | undefined;
  readonly clock?: LeaseClock | undefined;
}

export interface AcquireLeaseOptions extends Omit<AcquireLockOptions, 'name'>, TryLeaseOptions {}

/** Looks of one that came first at those who came at the same moment, until they have left. */
const MAX_POLLS = 20;
const MIN_LEASE_POLL_MS = 50;
const MAX_LEASE_POLL_MS = 150;

/**
 * Takes the right to work in a destination of a bucket: alone, or beside others that share.
 * @param prefix of the destination: empty, or with a slash at its end.
 * @throws TickhaulError `locked`, which names the holder; of the store; the reason of an abort.
 */
export function acquireLease(
  store: ObjectStore,
  prefix: string,
  owner: LockOwner,
  options: AcquireLeaseOptions,
): Promise<StoreLease> {
  const tries = new LeaseAttempt(store, prefix, owner, options);
  return waitForLock(tries, options);
}

/**
 * The same, without a wait for another run's end.
 * @returns undefined where another run holds it.
 */
export function tryAcquireLease(
  store: ObjectStore,
  prefix: string,
  owner: LockOwner,
  options: TryLeaseOptions,
): Promise<StoreLease | undefined> {
  return new LeaseAttempt(store, prefix, owner, options).tryAcquire();
}

/**
 * Each run puts an object of its own, and lists then: of two that keep each other out, whoever put later sees the other,
 * in any store that shows at once what was put. It goes on only after a listing without such a one. The earlier of two
 * that come at once stays and looks again, the later one leaves, so one of any number gets it.
 *
 * A lease is alive while its object is younger than five minutes, both by the store's clock: that of our own, just
 * written, is now. One whose process is known to be gone is dead at once, as that of a folder's lock is.
 */
class LeaseAttempt {
  readonly name: string;
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #owner: LockOwner;
  readonly #options: TryLeaseOptions;
  readonly #clock: LeaseClock;
  /** The store's clock when ours had its reading, once something was put. */
  #seen: { readonly store: number; readonly ours: number } | undefined;
  #holder: LockHolder | undefined;

  constructor(store: ObjectStore, prefix: string, owner: LockOwner, options: TryLeaseOptions) {
    this.name = `${store.name}/${prefix}`.replace(/\/$/, '');
    this.#store = store;
    this.#folder = `${prefix}${STATE_FOLDER}/${options.folder ?? 'locks'}/`;
    this.#owner = owner;
    this.#options = options;
    this.#clock = options.clock ?? LEASE_CLOCK;
  }

  readonly tryAcquire = async (): Promise<StoreLease | undefined> => {
    // Whoever waits only looks: many that put and remove all the time would be in each other's way.
    if (this.#seen) {
      const now = this.#seen.store + this.#clock.now() - this.#seen.ours;
      if (await this.#findRival(await this.#list(), now)) return undefined;
    }
    const { exclusive } = this.#options;
    const { pid, host, now, command } = this.#owner;
    const holder = { ...(await createLockHolder(pid, host, now, command)), exclusive };
    const body = Buffer.from(`${JSON.stringify(holder)}\n`);
    const key = `${this.#folder}${formatKeyTime(Date.now())}-${randomBytes(6).toString('hex')}${keySuffix(exclusive)}`;
    const begun = this.#clock.now();
    const taken = await this.#put(key, body, begun);
    if (taken === undefined) return undefined;
    const lock = new LeaseHeartbeat(
      this.#store,
      key,
      body,
      { startedMs: begun, modified: taken },
      this.#clock,
    );
    return { lost: lock.lost, release: () => lock.release(), acquiredMs: taken };
  };

  readonly holder = async (): Promise<string> =>
    this.#holder ? formatLockHolder(this.#holder) : 'which ended just now';

  /** As `#standAlone`; leaves nothing behind where it doesn't end with a lease: that would keep others out for minutes. */
  async #put(key: string, body: Buffer, begun: number): Promise<number | undefined> {
    try {
      await this.#store.put(key, body, this.#options.signal);
      const taken = await this.#standAlone(key);
      // With answers that slow, others may take it for dead already.
      if (taken !== undefined && this.#clock.now() - begun < LEASE_GIVE_UP_MS) return taken;
      await this.#store.remove([key], this.#options.signal);
      return undefined;
    } catch (error) {
      const name = `${this.#store.name}/${key}`;
      const remove = (signal: AbortSignal): Promise<void> => this.#store.remove([key], signal);
      await withShutdownTimeout(name, remove, this.#clock).catch(() => {});
      throw error;
    }
  }

  /** @returns when our object was put, by the store's clock, once no other is in the way; undefined where one stays. */
  async #standAlone(own: string): Promise<number | undefined> {
    const { signal } = this.#options;
    for (let look = 0; look < MAX_POLLS; look++) {
      if (look > 0)
        await this.#clock.wait(
          MIN_LEASE_POLL_MS + Math.random() * (MAX_LEASE_POLL_MS - MIN_LEASE_POLL_MS),
          signal,
        );
      const listed = await this.#list();
      const modified = listed.find(({ key }) => key === own)?.modified;
      if (modified === undefined) return undefined;
      this.#seen = { store: modified, ours: this.#clock.now() };
      const others = listed.filter(({ key }) => key !== own);
      const rival = await this.#findRival(others, modified);
      if (!rival) {
        await this.#removeDead(others, modified);
        return modified;
      }
      if (rival.key < own) return undefined;
    }
    return undefined;
  }

  /** The first lease that is alive and keeps ours out. @param now the store's. */
  async #findRival(listed: readonly StoredObject[], now: number): Promise<StoredObject | undefined> {
    for (const object of listed) {
      if (isDead(object, now) || !(this.#options.exclusive || object.key.endsWith(keySuffix(true)))) continue;
      const body = await this.#store.getWhole(object.key, this.#options.signal);
      if (!body) continue;
      const holder = parseLockHolder(body.toString('utf8'));
      const { host, isAlive } = this.#owner;
      // Hosts of one name are many, so only an identity of its process tells.
      if (holder?.process && (await isHolderGone(holder, host, isAlive))) continue;
      this.#holder = holder;
      return object;
    }
    return undefined;
  }

  async #list(): Promise<readonly StoredObject[]> {
    const listed: StoredObject[] = [];
    for await (const page of this.#store.list(this.#folder, this.#options.signal)) listed.push(...page);
    return listed;
  }

  /** What is dead stays so: a run that couldn't refresh its lease for that long has ended by itself. */
  async #removeDead(listed: readonly StoredObject[], now: number): Promise<void> {
    const dead = listed.filter((object) => isDead(object, now)).map(({ key }) => key);
    if (dead.length > 0) await this.#store.remove(dead, this.#options.signal);
  }
}

function isDead({ modified }: StoredObject, now: number): boolean {
  return now - modified > LEASE_STALE_MS;
}

function keySuffix(exclusive: boolean): string {
  return exclusive ? '.exclusive' : '.shared';
}
