import { wait } from '../../base/wait.js';

/** A monotonic clock for leases, which tests can replace. */
export interface LeaseClock {
  /** Milliseconds since an arbitrary time. */
  now(): number;
  /** @throws the abort reason. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const LEASE_CLOCK: LeaseClock = { now: () => performance.now(), wait };

/** A lease without a refresh for this long is dead. */
export const LEASE_STALE_MS = 300_000;
/**
 * The holder ends this long after its last refresh, at the latest with the next one: before others take over.
 */
export const LEASE_GIVE_UP_MS = 240_000;
/** Interval between two refreshes. */
export const LEASE_REFRESH_MS = 30_000;
