import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type StoreLease, tryAcquireLease } from '../../../src/store/s3/lease.js';
import { Killed, killAfter, MemoryBucket, type RequestGate } from '../../helpers/memory-store.js';
import { rounds } from '../../helpers/services.js';
import { owner, TestClock } from './leases.js';

const SECOND = 1000;

/** A run that acquires the lease, holds it for a while, and may be killed; all times in seconds. */
const racer = fc.record({
  exclusive: fc.constantFrom(true, true, false),
  /** Delay before the first attempt, and between attempts. */
  pause: fc.constantFrom(0, 0, 1, 40),
  holds: fc.constantFrom(0, 50, 400, 400),
  /** Duration of its first requests; later ones are fast. */
  delays: fc.array(fc.constantFrom(0, 0, 0, 0, 0, 40, 280), { maxLength: 16 }),
  kill: fc.option(
    fc.record({ after: fc.nat(12), moment: fc.constantFrom('before' as const, 'after' as const) }),
    { freq: 2 },
  ),
});

test('two conflicting runs never hold the lease at once, whatever is delayed and whichever run is killed', async () => {
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
          const onItsWay: RequestGate = async () => {
            const delay = delays[at++] ?? 0;
            if (delay > 0) await clock.wait(delay * SECOND);
            await scheduler.schedule(Promise.resolve());
          };
          const gate = kill ? killAfter(kill.after, kill.moment, onItsWay) : onItsWay;
          let lease: StoreLease | undefined;
          for (let tries = 0; !lease && tries < 20; tries++) {
            await clock.wait(pause * SECOND);
            lease = await tryAcquireLease(bucket.client(gate), '', owner(host), { exclusive, clock });
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
    { numRuns: rounds(50) },
  );
});
