import { wait } from '../../base/wait.js';

/** What a lease needs of time: how long ago, and not what o'clock. */
export interface LeaseClock {
  /** Milliseconds since some moment. */
  now(): number;
  /** @throws the reason of the abort. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const LEASE_CLOCK: LeaseClock = { now: () => performance.now(), wait };

/** Milliseconds without a refresh after which others take a lease for dead. */
export const LEASE_STALE_MS = 300_000;
/** After which its holder does, at the latest with the beat after it: before anyone else. */
export const LEASE_GIVE_UP_MS = 240_000;
/** Between two refreshes. */
export const LEASE_REFRESH_MS = 30_000;
