import { randomBytes } from 'node:crypto';
import { TickhaulError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../day-files/day-file.js';
import { CLOCK, type LockClock, SUSPENDED, startHeartbeat } from '../lock/heartbeat.js';
import {
  createLockHolder,
  formatLockHolder,
  isHolderGone,
  type LockHolder,
  parseLockHolder,
} from '../lock/lock-holder.js';
import { type AcquireLockOptions, type LockOwner, type RunLock, waitForLock } from '../lock/run-lock.js';
import { formatKeyTime } from './bucket-manifest/manifest-objects.js';
import { type ObjectStore, type StoredObject, withShutdownTimeout } from './object-store.js';

/** Held until it is released, or until five minutes after its process has ended. */
export interface StoreLease extends RunLock {
  /** When the lease was acquired, in milliseconds since the epoch by the store's clock. */
  readonly acquiredMs: number;
}

export interface TryLeaseOptions {
  /** Whether it excludes all other leases; else only exclusive ones. */
  readonly exclusive: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Folder of conflicting leases, under `.tickhaul/`. */
  readonly folder?: string | undefined;
  readonly clock?: LockClock | undefined;
}

export interface AcquireLeaseOptions extends Omit<AcquireLockOptions, 'name'>, TryLeaseOptions {}

/** A lease without a refresh for this long is dead. */
const LEASE_STALE_MS = 300_000;
/**
 * The holder ends this long after its last refresh, at the latest with the next one: before others take over.
 */
const LEASE_GIVE_UP_MS = 240_000;
/** Interval between two refreshes. */
const LEASE_REFRESH_MS = 30_000;

/** Checks of the earlier of two conflicting leases, until the later one is removed. */
const MAX_POLLS = 20;
const MIN_LEASE_POLL_MS = 50;
const MAX_LEASE_POLL_MS = 150;

/**
 * Acquires the lock of a destination in a bucket, exclusive or shared (docs/spec/s3-layout.md#leases).
 * @param prefix of the destination: empty, or with a slash at its end.
 * @throws TickhaulError `locked` with the holder; errors of the store; the abort reason.
 */
export function acquireLease(
  store: ObjectStore,
  prefix: string,
  owner: LockOwner,
  options: AcquireLeaseOptions,
): Promise<StoreLease> {
  const attempt = new LeaseAttempt(store, prefix, owner, options);
  return waitForLock(attempt, options);
}

/**
 * Like `acquireLease`, but does not wait for another run.
 * @returns undefined if another run holds the lock.
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
 * Each run puts its own object, then lists all. Since the store lists an object as soon as it was put, the
 * later of two conflicting runs always sees the earlier. A run continues only after a listing without a
 * conflict. Of several runs at the same time, the earliest stays and lists again, and the others remove their
 * objects, so exactly one gets the lock.
 *
 * A lease is alive if its object is younger than five minutes. Both times are the store's: the object just
 * put shows the current one. A lease is dead at once if its process is known to have ended, like a folder's
 * lock.
 */
class LeaseAttempt {
  readonly name: string;
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #owner: LockOwner;
  readonly #options: TryLeaseOptions;
  readonly #clock: LockClock;
  /** The store's time and the local time of the last put object. */
  #storeTime: { readonly storeMs: number; readonly localMs: number } | undefined;
  #holder: LockHolder | undefined;

  constructor(store: ObjectStore, prefix: string, owner: LockOwner, options: TryLeaseOptions) {
    this.name = `${store.name}/${prefix}`.replace(/\/$/, '');
    this.#store = store;
    this.#folder = `${prefix}${STATE_FOLDER}/${options.folder ?? 'locks'}/`;
    this.#owner = owner;
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
  }

  readonly tryAcquire = async (): Promise<StoreLease | undefined> => {
    // While waiting, only list: if many runs kept putting and removing objects, they would block each other.
    if (this.#storeTime) {
      const now = this.#storeTime.storeMs + this.#clock.now() - this.#storeTime.localMs;
      if (await this.#findRival(await this.#list(), now)) return undefined;
    }
    const { exclusive } = this.#options;
    const { pid, host, now, command } = this.#owner;
    const holder = { ...(await createLockHolder(pid, host, now, command)), exclusive };
    const body = Buffer.from(`${JSON.stringify(holder)}\n`);
    const key = `${this.#folder}${formatKeyTime(Date.now())}-${randomBytes(6).toString('hex')}${keySuffix(exclusive)}`;
    const startedMs = this.#clock.now();
    const acquiredMs = await this.#putAndCheck(key, body, startedMs);
    if (acquiredMs === undefined) return undefined;
    const lock = holdLease(this.#store, key, body, { startedMs, modified: acquiredMs }, this.#clock);
    return { ...lock, acquiredMs };
  };

  readonly holder = async (): Promise<string> =>
    this.#holder ? formatLockHolder(this.#holder) : 'which has just ended';

  /**
   * Puts the object and waits for conflicts. Removes it on failure, since it would exclude others for
   * minutes.
   */
  async #putAndCheck(key: string, body: Buffer, startedMs: number): Promise<number | undefined> {
    try {
      await this.#store.put(key, body, this.#options.signal);
      const acquiredMs = await this.#waitForConflicts(key);
      // If the store was very slow, other runs may already consider the lease dead.
      if (acquiredMs !== undefined && this.#clock.now() - startedMs < LEASE_GIVE_UP_MS) return acquiredMs;
      await this.#store.remove([key], this.#options.signal);
      return undefined;
    } catch (error) {
      const name = `${this.#store.name}/${key}`;
      const remove = (signal: AbortSignal): Promise<void> => this.#store.remove([key], signal);
      await withShutdownTimeout(name, remove, this.#clock).catch(() => {});
      throw error;
    }
  }

  /**
   * @returns the store's time of the object, once there is no conflict; undefined if an earlier lease
   * remains.
   */
  async #waitForConflicts(own: string): Promise<number | undefined> {
    const { signal } = this.#options;
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      if (poll > 0)
        await this.#clock.wait(
          MIN_LEASE_POLL_MS + Math.random() * (MAX_LEASE_POLL_MS - MIN_LEASE_POLL_MS),
          signal,
        );
      const listed = await this.#list();
      const modified = listed.find(({ key }) => key === own)?.modified;
      if (modified === undefined) return undefined;
      this.#storeTime = { storeMs: modified, localMs: this.#clock.now() };
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

  /** The first lease that is alive and conflicts with this one. @param now the store's time. */
  async #findRival(listed: readonly StoredObject[], now: number): Promise<StoredObject | undefined> {
    for (const object of listed) {
      if (isDead(object, now) || !(this.#options.exclusive || object.key.endsWith(keySuffix(true)))) continue;
      const body = await this.#store.getWhole(object.key, this.#options.signal);
      if (!body) continue;
      const holder = parseLockHolder(body.toString('utf8'));
      const { host, isAlive } = this.#owner;
      // Several hosts may have the same name, so only the identity of the process shows that it has ended.
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

  /** Dead leases stay dead: a run that could not refresh its lease for this long has ended itself. */
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

/** The last refresh of a lease's object. */
interface LeaseRefresh {
  /** By this machine's clock, before the request. */
  readonly startedMs: number;
  /** By the store's clock. */
  readonly modified: number;
}

/**
 * Keeps a lease alive by putting its object every 30 seconds (docs/spec/s3-layout.md#leases). The lease is lost if the
 * object is gone, if it could not be put for four minutes, or if the store's clock shows a gap in which others may have
 * considered it dead, for example after the machine slept.
 */
function holdLease(
  store: ObjectStore,
  key: string,
  body: Buffer,
  last: LeaseRefresh,
  clock: LockClock,
): RunLock {
  const name = `${store.name}/${key}`;
  const lost = new AbortController();
  let { modified } = last;
  const heartbeat = startHeartbeat({
    intervalMs: LEASE_REFRESH_MS,
    clock,
    startedMs: last.startedMs,
    giveUp: {
      afterMs: LEASE_GIVE_UP_MS,
      reason: 'because the store accepted no refresh from this run for four minutes',
    },
    // The store may accept a later refresh even after refusing this one.
    async beat(signal) {
      const current = await store.head(key, signal);
      if (!current) return 'or removed it';
      if (current.modified - modified > LEASE_STALE_MS) return SUSPENDED;
      await store.put(key, body, signal);
      modified = current.modified;
      return undefined;
    },
    onLost(reason) {
      lost.abort(new TickhaulError('locked', `${name}: another run may have taken over the lock, ${reason}`));
    },
  });
  /**
   * Removes the object, whose name is unique, whatever it contains by now. If the store does not remove it in time, it is
   * dead after some minutes, so this is no reason to fail a successful run.
   */
  const removeObject = async (): Promise<void> => {
    const stopping = heartbeat.stop();
    const remove = async (signal: AbortSignal): Promise<void> => {
      // Wait for a refresh in flight, which would otherwise write the object again.
      await stopping;
      await store.remove([key], signal);
    };
    try {
      await withShutdownTimeout(name, remove, clock);
    } catch (error) {
      if (!(error instanceof TickhaulError)) throw error;
    } finally {
      heartbeat.abort();
    }
  };
  let released: Promise<void> | undefined;
  return {
    lost: lost.signal,
    release() {
      released ??= removeObject();
      return released;
    },
  };
}
