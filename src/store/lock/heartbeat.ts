import { setTimeout as sleep } from 'node:timers/promises';
import { wait } from '../../base/wait.js';

/** A monotonic clock for locks, which tests can replace. */
export interface LockClock {
  /** Milliseconds since an arbitrary time. */
  now(): number;
  /** @throws the abort reason. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const CLOCK: LockClock = { now: () => performance.now(), wait };

/** Its waits do not keep the process running. */
export const BACKGROUND_CLOCK: LockClock = {
  now: CLOCK.now,
  wait: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

export interface HeartbeatOptions {
  readonly intervalMs: number;
  readonly clock: LockClock;
  /**
   * Renews the lock. Errors are ignored: the next beat tries again, as long as there is time.
   * @returns why the lock is lost; undefined if it is renewed.
   */
  readonly beat: (signal: AbortSignal) => Promise<string | undefined>;
  /** When the lock counts as lost without a beat; undefined for never. */
  readonly giveUp?: { readonly afterMs: number; readonly reason: string } | undefined;
  /** When the last beat before the first one began, by the clock. */
  readonly startedMs: number;
  /** Called once. */
  readonly onLost: (reason: string) => void;
}

/** The regular renewal of a lock. */
export interface Heartbeat {
  /** Starts no other beat, and resolves when none is in flight. */
  stop(): Promise<void>;
  /** Aborts the beat in flight. */
  abort(): void;
}

/**
 * Renews a lock in intervals by a timer of this thread: an event loop that is blocked for minutes renews nothing.
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { intervalMs, clock, beat, giveUp, onLost } = options;
  const stop = new AbortController();
  const beats = new AbortController();
  let isLost = false;
  let lastMs = options.startedMs;
  const lose = (reason: string): void => {
    if (isLost) return;
    isLost = true;
    onLost(reason);
    beats.abort();
  };

  const beatOnce = async (): Promise<void> => {
    const startedMs = clock.now();
    const beating = beat(beats.signal).then(
      (reason) => {
        if (reason !== undefined) lose(reason);
        else lastMs = startedMs;
      },
      () => {},
    );
    if (!giveUp) return beating;
    const leftMs = lastMs + giveUp.afterMs - startedMs;
    const done = new AbortController();
    const timeout = clock.wait(leftMs, done.signal).then(
      () => lose(giveUp.reason),
      () => {},
    );
    await Promise.race([beating, timeout]);
    done.abort();
  };

  const run = async (): Promise<void> => {
    while (!isLost) {
      const isStopped = await clock.wait(intervalMs, stop.signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return;
      if (giveUp && clock.now() - lastMs >= giveUp.afterMs) return lose(SUSPENDED);
      await beatOnce();
    }
  };

  const running = run();
  return {
    stop() {
      stop.abort();
      return running;
    },
    abort: () => beats.abort(),
  };
}

/** Why a lock is lost if its process did not run for too long. */
export const SUSPENDED = 'because this run was suspended for too long';
