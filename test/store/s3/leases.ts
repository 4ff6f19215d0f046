import type { LockClock } from '../../../src/store/lock/heartbeat.js';
import type { LockOwner } from '../../../src/store/lock/run-lock.js';
import { type AcquireLeaseOptions, acquireLease, type StoreLease } from '../../../src/store/s3/lease.js';
import type { MemoryBucket } from '../../helpers/memory-store.js';

export function owner(host: string): LockOwner {
  return { pid: 5_000_000, host, now: Date.UTC(2026, 0, 1), command: 'sync', isAlive: () => true };
}

/** A clock for clients and the store that runs only when a test advances it. */
export class TestClock implements LockClock {
  readonly #bucket: MemoryBucket;
  readonly #begun: number;
  #timers: { readonly at: number; readonly fire: () => void }[] = [];

  constructor(bucket: MemoryBucket) {
    this.#bucket = bucket;
    this.#begun = bucket.now;
  }

  now(): number {
    return this.#bucket.now - this.#begun;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = { at: this.now() + ms, fire: () => {} };
      const leave = (): void => {
        this.#timers = this.#timers.filter((one) => one !== timer);
        reject(signal?.reason);
      };
      timer.fire = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      if (signal?.aborted) return leave();
      this.#timers.push(timer);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Advances to each due time in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#bucket.now + ms;
    for (;;) {
      await waitForNextTurn();
      const [next] = this.#timers.sort((a, b) => a.at - b.at);
      if (!next || next.at + this.#begun > end) break;
      this.#timers.shift();
      this.#bucket.now = Math.max(this.#bucket.now, next.at + this.#begun);
      next.fire();
    }
    this.#bucket.now = end;
  }

  /** Advances by the duration of a task. */
  async during<T>(something: Promise<T>): Promise<T> {
    let isOver = false;
    const over = something.finally(() => {
      isOver = true;
    });
    over.catch(() => {});
    while (!isOver) await this.pass(100);
    return over;
  }
}

export function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const acquireTestLease = (
  bucket: MemoryBucket,
  host: string,
  options: Partial<AcquireLeaseOptions> = {},
): Promise<StoreLease> =>
  acquireLease(bucket.client(), 'data/', owner(host), { exclusive: true, ...options });
