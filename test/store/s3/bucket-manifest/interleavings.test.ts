import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Manifest } from '../../../../src/store/manifest/manifest.js';
import { compactMonth } from '../../../../src/store/s3/bucket-manifest/compact-months.js';
import { monthPrefix } from '../../../../src/store/s3/bucket-manifest/manifest-objects.js';
import { openStoreManifest } from '../../../../src/store/s3/bucket-manifest/store-manifest.js';
import { Killed, killAfter, MemoryBucket, type RequestGate } from '../../../helpers/memory-store.js';
import { rounds } from '../../../helpers/services.js';
import { createTestRecord } from '../../manifest/records.js';

const ROOT = '.tickhaul/manifest/';
const HOUR = 3_600_000;
const PATHS = ['a.csv.gz', 'b.csv.gz'];

/** Actions of a run, and the request after which it is killed, if any. */
interface Run {
  readonly steps: readonly (readonly Change[])[];
  /** Milliseconds by which its clock is wrong. */
  readonly skew: number;
  readonly kill: { readonly after: number; readonly moment: 'before' | 'after' } | null;
}

/** A new record of a path, or its removal. */
interface Change {
  readonly path: number;
  readonly isForgotten: boolean;
}

/** A record that may be stored, and the versions known when it was written. */
interface Written {
  readonly version: number;
  readonly path: string;
  readonly isForgotten: boolean;
  /** Versions acknowledged before this run opened the manifest, or written by this run before. */
  readonly after: ReadonlySet<number>;
}

const change = fc.record({ path: fc.nat(PATHS.length - 1), isForgotten: fc.boolean() });
const kill = fc.option(
  fc.record({ after: fc.nat(8), moment: fc.constantFrom('before' as const, 'after' as const) }),
);
const run: fc.Arbitrary<Run> = fc.record({
  steps: fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  skew: fc.constantFrom(0, 0, -1e12, 1e12),
  kill,
});
const compaction = fc.record({ hours: fc.constantFrom(0, 2, 2), kill });
/** Number of requests that a run sends before others may continue, repeated cyclically. */
const bursts = fc.array(fc.constantFrom(0, 0, 1, 3, 40), { minLength: 4, maxLength: 8 });

/**
 * Compares the results of runs, compactions and kills with the allowed results: for each path, a record that
 * no run with knowledge of it has overwritten.
 */
class World {
  readonly bucket = new MemoryBucket();
  readonly #written: Written[] = [];
  /** Versions that were acknowledged. */
  readonly #acknowledged = new Set<number>();
  readonly #puts: (readonly [key: string, text: string])[] = [];
  #runs = 0;

  async run({ steps, skew, kill }: Run, gate: RequestGate): Promise<void> {
    const known = new Set(this.#acknowledged);
    const manifest = await this.#open(kill ? killAfter(kill.after, kill.moment, gate) : gate, skew);
    for (const changes of steps) {
      const appended = changes.map(async ({ path, isForgotten }) => {
        const version = this.#written.length + 1;
        const name = PATHS[path] ?? '';
        this.#written.push({ version, path: name, isForgotten, after: new Set(known) });
        known.add(version);
        await manifest.append({ ...createTestRecord(name, version), ...(isForgotten && { dropped: true }) });
        this.#acknowledged.add(version);
      });
      await Promise.all([manifest.flush(), Promise.all(appended)]);
    }
    await manifest.close();
  }

  async compact(hours: number, kill: Run['kill'] = null, gate: RequestGate = async () => {}): Promise<void> {
    this.bucket.now += hours * HOUR;
    const store = this.bucket.client(kill ? killAfter(kill.after, kill.moment, gate) : gate);
    const { now } = this.bucket;
    const month = monthPrefix(createTestRecord('').file);
    const run = `c${++this.#runs}`;
    await compactMonth({ store, root: ROOT }, month, { run, now, storeNow: now, maxLooseSegments: 0 });
  }

  /** Puts a segment again, as a delayed first attempt of a retried put does. */
  async arriveLate(which: number, gate: RequestGate): Promise<void> {
    await gate({ name: 'put', key: '' }, 'before');
    const [key, text] = this.#puts[which % this.#puts.length] ?? [];
    if (key !== undefined && text !== undefined) this.bucket.write(key, text);
  }

  /** Opens a reader and checks its records against the versions that it must know. */
  async read(gate: RequestGate = async () => {}): Promise<readonly string[]> {
    const acknowledged = new Set(this.#acknowledged);
    const manifest = await this.#open(gate, 0);
    const found = new Map([...manifest.records()].map(({ path, rows }) => [path, rows]));
    assert.equal(manifest.size, found.size);
    for (const path of PATHS) {
      const all = this.#written.filter((one) => one.path === path);
      const known = all.filter(({ version }) => acknowledged.has(version));
      const possible = all.filter((one) => !known.some(({ after }) => after.has(one.version)));
      const version = found.get(path);
      if (version === undefined)
        assert.ok(known.length === 0 || possible.some(({ isForgotten }) => isForgotten), `${path} is lost`);
      else
        assert.ok(
          possible.some((one) => one.version === version && !one.isForgotten),
          `${path}: ${version} was written over, or forgotten`,
        );
    }
    return [...found].map(([path, version]) => `${path} ${version}`).sort();
  }

  #open(gate: RequestGate, skew: number): Promise<Manifest> {
    const noted: RequestGate = async (call, moment) => {
      const text = this.bucket.text(call.key);
      if (call.name === 'put' && moment === 'after' && text !== undefined) this.#puts.push([call.key, text]);
      await gate(call, moment);
    };
    return openStoreManifest(this.bucket.client(noted), '', {
      warn: assert.fail,
      clock: () => this.bucket.now + skew,
    });
  }
}

/** Processes items in order. A kill ends only the current item. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items)
    await work(item).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
}

test('any interleaving of runs, kills and compactions results in a manifest that a single run could have written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(bursts, { minLength: 7, maxLength: 7 }),
      fc.array(fc.array(run, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(compaction, { maxLength: 4 }), { maxLength: 2 }),
      fc.array(fc.nat(20), { maxLength: 2 }),
      async (scheduler, paces, lines, compactors, late) => {
        const world = new World();
        const gates = paces.map((pace): RequestGate => {
          let [at, left] = [0, 0];
          return async () => {
            if (left-- > 0) return;
            left = pace[at++ % pace.length] ?? 0;
            await scheduler.schedule(Promise.resolve());
          };
        });
        /** A run of several actions, at its own pace. */
        const somebody = <T>(items: readonly T[], work: (item: T, gate: RequestGate) => Promise<unknown>) => {
          const gate = gates.pop() ?? assert.fail('more than there are paces');
          return inTurn(items, (item) => work(item, gate));
        };
        const all = [
          ...lines.map((runs) => somebody(runs, (one, gate) => world.run(one, gate))),
          ...compactors.map((some) =>
            somebody(some, ({ hours, kill }, gate) => world.compact(hours, kill, gate)),
          ),
          somebody([1, 2], (_, gate) => world.read(gate)),
          somebody(late, (which, gate) => world.arriveLate(which, gate)),
        ];
        await scheduler.waitFor(Promise.all(all));
        const left = await world.read();
        assert.deepEqual(await world.read(), left);
        for (const hours of [0, 2, 2]) {
          await world.compact(hours);
          assert.deepEqual(await world.read(), left, 'a compaction changes nothing');
        }
        assert.ok(world.bucket.keys(ROOT).length <= 1, 'and leaves one base');
      },
    ),
    { numRuns: rounds(80) },
  );
});
