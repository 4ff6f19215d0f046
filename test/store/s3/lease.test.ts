import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TickhaulError } from '../../../src/base/errors.js';
import type { LockOwner } from '../../../src/store/lock/run-lock.js';
import { FAREWELL_MS } from '../../../src/store/s3/farewell.js';
import { type Lease, type TakeLeaseOptions, takeLease, tryLease } from '../../../src/store/s3/lease.js';
import type { LeaseClock } from '../../../src/store/s3/lease-clock.js';
import { type Gate, Killed, killAfter, MemoryBucket } from '../../helpers/memory-store.js';

const LOCKS = 'data/.tickhaul/locks/';
const SECOND = 1000;

function owner(host: string): LockOwner {
  return { pid: 5_000_000, host, now: Date.UTC(2026, 0, 1), command: 'sync', isAlive: () => true };
}

/** Time that passes when it is told to, for clients and the store alike. */
class TestClock implements LeaseClock {
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

  /** Lets all that is due happen, each at its time. */
  async pass(ms: number): Promise<void> {
    const end = this.#bucket.now + ms;
    for (;;) {
      await settled();
      const [next] = this.#timers.sort((a, b) => a.at - b.at);
      if (!next || next.at + this.#begun > end) break;
      this.#timers.shift();
      this.#bucket.now = Math.max(this.#bucket.now, next.at + this.#begun);
      next.fire();
    }
    this.#bucket.now = end;
  }

  /** Lets as much time pass as something takes. */
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

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const take = (bucket: MemoryBucket, host: string, options: Partial<TakeLeaseOptions> = {}): Promise<Lease> =>
  takeLease(bucket.client(), 'data/', owner(host), { exclusive: true, ...options });

test('a lease is one object that says who holds it, and is gone when it is released', async () => {
  const bucket = new MemoryBucket();
  const lease = await take(bucket, 'a');
  const [key = ''] = bucket.keys(LOCKS);
  assert.match(key.slice(LOCKS.length), /^\d{8}T\d{9}Z-[0-9a-f]{12}\.exclusive$/);
  assert.deepEqual(JSON.parse(bucket.text(key) ?? ''), {
    ...{ pid: 5_000_000, host: 'a', started: '2026-01-01T00:00:00.000Z', command: 'sync', exclusive: true },
  });
  assert.equal(lease.taken, bucket.now);
  await lease.release();
  await lease.release();
  assert.deepEqual([bucket.keys(LOCKS), lease.lost.aborted], [[], false]);
});

test('who is alone keeps all others out, those who share only who wants to be alone', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  const trying = (host: string, exclusive: boolean): Promise<Lease | undefined> =>
    clock.during(tryLease(bucket.client(), 'data/', owner(host), { exclusive, clock }));
  const alone = await trying('alone', true);
  assert.ok(alone);
  assert.equal(await trying('b', true), undefined);
  assert.equal(await trying('c', false), undefined);
  assert.equal(bucket.keys(LOCKS).length, 1, 'who was kept out leaves nothing');
  await alone.release();
  const sharing = [await trying('d', false), await trying('e', false)];
  assert.ok(sharing.every((lease) => lease !== undefined));
  assert.equal(await trying('f', true), undefined);
  for (const lease of sharing) await lease?.release();
  await (await trying('g', true))?.release();
  assert.deepEqual(bucket.keys(), []);
});

test('a lock that is held is an error that names the holder, at once or after the wait', async () => {
  const bucket = new MemoryBucket();
  const lease = await take(bucket, 'db1');
  const named =
    /^s3:\/\/bucket\/data: another run holds the lock, process 5000000 on db1 since 2026-01-01T00/;
  await assert.rejects(take(bucket, 'b'), { code: 'locked', message: named });
  const waits: string[] = [];
  const waiting = take(bucket, 'c', { timeoutMs: 60_000, onWait: (holder) => waits.push(holder) });
  waiting.catch(() => {});
  const leaving = new AbortController();
  const other = take(bucket, 'd', { timeoutMs: 60_000, signal: leaving.signal });
  leaving.abort(new TickhaulError('interrupted', 'interrupted'));
  await assert.rejects(other, { code: 'interrupted' });
  await lease.release();
  await (await waiting).release();
  assert.ok(waits.length <= 1);
  assert.deepEqual(bucket.keys(), []);
});

test('a dead lease holds for five minutes by the clock of the store, a living one for ever', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  const trying = (exclusive: boolean): Promise<Lease | undefined> =>
    tryLease(bucket.client(), 'data/', owner('b'), { exclusive, clock });
  const living = await take(bucket, 'a', { clock });
  await clock.pass(3600 * SECOND);
  assert.equal(await trying(true), undefined);
  await living.release();
  bucket.write(`${LOCKS}20260101T000000000Z-0.exclusive`, 'of a run that was killed');
  await clock.pass(240 * SECOND);
  assert.equal(await trying(false), undefined);
  await clock.pass(61 * SECOND);
  const next = await take(bucket, 'd', { clock });
  assert.equal(bucket.keys(LOCKS).length, 1, 'the dead one is removed');
  await next.release();
});

test('a run whose lease is gone, or could not be refreshed, hears that it is lost', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  const removed = await take(bucket, 'a', { clock });
  for (const key of bucket.keys(LOCKS)) bucket.delete(key);
  await clock.pass(31 * SECOND);
  assert.match(String(removed.lost.reason), /another run may have taken the lock over, or removed it/);
  await removed.release();
  assert.deepEqual(bucket.keys(), [], 'it is not put again');

  let isDown = false;
  const store = bucket.client(async () => {
    if (isDown) throw new TickhaulError('unreachable', 'down');
  });
  const cutOff = await takeLease(store, 'data/', owner('b'), { exclusive: true, clock });
  isDown = true;
  await clock.pass(200 * SECOND);
  assert.equal(cutOff.lost.aborted, false);
  isDown = false;
  await clock.pass(20 * SECOND);
  isDown = true;
  await clock.pass(220 * SECOND);
  assert.equal(cutOff.lost.aborted, false);
  await clock.pass(41 * SECOND);
  assert.match(String(cutOff.lost.reason), /held up for long|no sign of life/);
  isDown = false;
  await cutOff.release();
});

test('a lease that the store does not remove is left to die, and the run that had it goes on', async () => {
  const bucket = new MemoryBucket();
  const store = bucket.client(async ({ name }) => {
    if (name === 'remove') throw new TickhaulError('store_down', 'busy');
  });
  const lease = await takeLease(store, 'data/', owner('a'), { exclusive: true });
  await lease.release();
  assert.equal(bucket.keys(LOCKS).length, 1);
  bucket.now += 301 * SECOND;
  await (await take(bucket, 'b')).release();
  assert.deepEqual(bucket.keys(LOCKS), []);
});

test('a store that falls silent holds no run for long: not the end of one, nor one that is interrupted', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  let isSilent = false;
  let asked = (): void => {};
  const store = bucket.client(async () => {
    if (!isSilent) return;
    asked();
    await new Promise(() => {});
  });
  const endOf = async (something: Promise<unknown>): Promise<unknown> => {
    let end: unknown = 'none';
    something.then(
      () => {
        end = 'well';
      },
      ({ code }: TickhaulError) => {
        end = code;
      },
    );
    await clock.pass(FAREWELL_MS);
    return end;
  };
  const lease = await takeLease(store, 'data/', owner('a'), { exclusive: true, clock });
  isSilent = true;
  // Its sign of life is on its way.
  await clock.pass(31 * SECOND);
  assert.equal(await endOf(lease.release()), 'well');
  const leaving = new AbortController();
  const { signal } = leaving;
  const met = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const coming = takeLease(store, 'other/', owner('b'), { exclusive: false, clock, signal });
  await met;
  leaving.abort(new TickhaulError('interrupted', 'interrupted'));
  assert.equal(await endOf(coming), 'interrupted');
});

test('a run on a machine that slept hears that others may have taken its lease', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  let asleep = 0;
  const slept: LeaseClock = { now: () => clock.now() - asleep, wait: (ms, signal) => clock.wait(ms, signal) };
  const lease = await take(bucket, 'a', { clock: slept });
  await clock.pass(10 * SECOND);
  // The store's clock goes on, that of the machine stands still.
  asleep = 3600 * SECOND;
  bucket.now += asleep;
  await clock.pass(61 * SECOND);
  assert.match(String(lease.lost.reason), /held up for long/);
  await lease.release();
});

test('of many that come at once each gets it, one at a time', async () => {
  const bucket = new MemoryBucket();
  let holders = 0;
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const lease = await take(bucket, `${n}`, { timeoutMs: 240_000 });
      assert.equal(++holders, 1);
      await settled();
      holders--;
      await lease.release();
    }),
  );
  assert.deepEqual(bucket.keys(), []);
});

/** One that comes, holds the lease for a while, and may be killed on the way; all times in seconds. */
const racer = fc.record({
  exclusive: fc.constantFrom(true, true, false),
  /** Before its first try, and between tries. */
  pause: fc.constantFrom(0, 0, 1, 40),
  holds: fc.constantFrom(0, 50, 400, 400),
  /** How long its requests are on their way, one after the other; then they are quick. */
  delays: fc.array(fc.constantFrom(0, 0, 0, 0, 0, 40, 280), { maxLength: 16 }),
  kill: fc.option(
    fc.record({ after: fc.nat(12), moment: fc.constantFrom('before' as const, 'after' as const) }),
    { freq: 2 },
  ),
});

test('two that keep each other out never hold it at once, whatever is held up, and who is killed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(racer, { minLength: 2, maxLength: 4 }),
      async (scheduler, racers) => {
        const bucket = new MemoryBucket();
        bucket.page = 2;
        const clock = new TestClock(bucket);
        const holding = new Set<{ readonly exclusive: boolean; readonly lost: AbortSignal }>();
        const assertApart = (): void => {
          const working = [...holding].filter(({ lost }) => !lost.aborted);
          assert.ok(working.length < 2 || working.every(({ exclusive }) => !exclusive));
        };
        const race = async (
          { exclusive, pause, holds, delays, kill }: (typeof racers)[0],
          host: string,
        ): Promise<void> => {
          let at = 0;
          const onItsWay: Gate = async () => {
            const delay = delays[at++] ?? 0;
            if (delay > 0) await clock.wait(delay * SECOND);
            await scheduler.schedule(Promise.resolve());
          };
          const gate = kill ? killAfter(kill.after, kill.moment, onItsWay) : onItsWay;
          let lease: Lease | undefined;
          for (let tries = 0; !lease && tries < 20; tries++) {
            await clock.wait(pause * SECOND);
            lease = await tryLease(bucket.client(gate), '', owner(host), { exclusive, clock });
          }
          if (!lease) return;
          const held = { exclusive, lost: lease.lost };
          holding.add(held);
          assertApart();
          await clock.wait(holds * SECOND);
          assertApart();
          holding.delete(held);
          await lease.release();
        };
        const all = racers.map((one, n) =>
          race(one, `${n}`).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error;
          }),
        );
        await scheduler.waitFor(clock.during(Promise.all(all)));
      },
    ),
    { numRuns: 50 },
  );
});
