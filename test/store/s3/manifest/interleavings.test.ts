import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Manifest } from '../../../../src/store/manifest/manifest.js';
import { compactMonth } from '../../../../src/store/s3/manifest/compact-month.js';
import { monthOf } from '../../../../src/store/s3/manifest/names.js';
import { openStoreManifest } from '../../../../src/store/s3/manifest/open-manifest.js';
import { type Gate, Killed, killAfter, MemoryBucket } from '../../../helpers/memory-store.js';
import { recordOf } from '../../manifest/records.js';

const ROOT = '.tickhaul/manifest/';
const PATHS = ['a', 'b', 'c'];

/** What a run does, and the request after which it is killed, if it is. */
interface Run {
  readonly steps: readonly (readonly Change[])[];
  /** Milliseconds by which its clock is wrong. */
  readonly skew: number;
  readonly kill: { readonly after: number; readonly moment: 'before' | 'after' } | null;
}

/** A record of a path, or its end. */
interface Change {
  readonly path: number;
  readonly isForgotten: boolean;
}

/** A record that may stand, and what was known of its path when it was written. */
interface Written {
  readonly version: number;
  readonly path: string;
  readonly isForgotten: boolean;
  /** Versions that were told to stand before this run opened, or that it wrote itself before. */
  readonly after: ReadonlySet<number>;
}

const change = fc.record({ path: fc.nat(PATHS.length - 1), isForgotten: fc.boolean() });
const kill = fc.option(
  fc.record({ after: fc.nat(8), moment: fc.constantFrom('before' as const, 'after' as const) }),
);
const run: fc.Arbitrary<Run> = fc.record({
  steps: fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  skew: fc.integer({ min: -1e12, max: 1e12 }),
  kill,
});
const compaction = fc.record({ hours: fc.constantFrom(0, 2), kill });

/**
 * What runs, compactions and kills leave, told apart from what they may: of each path, one of the records that nobody
 * wrote over who knew it.
 */
class World {
  readonly bucket = new MemoryBucket();
  readonly #step: () => Promise<void>;
  readonly #written: Written[] = [];
  /** Versions that were told to stand. */
  readonly #told = new Set<number>();

  constructor(step: () => Promise<void>) {
    this.#step = step;
    this.bucket.page = 2;
  }

  async run({ steps, skew, kill }: Run): Promise<void> {
    const known = new Set(this.#told);
    const manifest = await this.#open(this.#client(kill), skew);
    for (const changes of steps) {
      const appended = changes.map(async ({ path, isForgotten }) => {
        const version = this.#written.length + 1;
        const name = PATHS[path] ?? '';
        this.#written.push({ version, path: name, isForgotten, after: new Set(known) });
        known.add(version);
        await manifest.append({ ...recordOf(name, version), ...(isForgotten && { dropped: true }) });
        this.#told.add(version);
      });
      await Promise.all([manifest.flush(), Promise.all(appended)]);
    }
    await manifest.close();
  }

  async compact({ hours, kill }: { readonly hours: number; readonly kill: Run['kill'] }): Promise<void> {
    await this.#step();
    this.bucket.now += hours * 3_600_000;
    const place = { store: this.bucket.client(this.#client(kill)), root: ROOT };
    const { now } = this.bucket;
    await compactMonth(place, monthOf(recordOf('').file), {
      run: `c${Math.random()}`,
      now,
      storeNow: now,
      mostLoose: 0,
    });
  }

  /** What a reader that begins now finds, which must be right by what it could know. */
  async read(gate?: Gate): Promise<readonly string[]> {
    const told = new Set(this.#told);
    const manifest = await this.#open(gate ?? (async () => {}), 0);
    const found = new Map([...manifest.records()].map(({ path, rows }) => [path, rows]));
    for (const path of PATHS) {
      const all = this.#written.filter((one) => one.path === path);
      const known = all.filter(({ version }) => told.has(version));
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

  readonly gate: Gate = () => this.#step();

  #client(kill: Run['kill']): Gate {
    return kill ? killAfter(kill.after, kill.moment, this.gate) : this.gate;
  }

  #open(gate: Gate, skew: number): Promise<Manifest> {
    return openStoreManifest(this.bucket.client(gate), '', {
      warn: assert.fail,
      clock: () => this.bucket.now + skew,
    });
  }
}

const unlessKilled = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });

test('whatever runs, kills and compactions do to each other, a manifest has what one run alone would leave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(run, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      fc.array(compaction, { maxLength: 5 }),
      async (scheduler, lines, compactions) => {
        const world = new World(() => scheduler.schedule(Promise.resolve()));
        const inTurn = async <T>(
          items: readonly T[],
          work: (item: T) => Promise<unknown>,
        ): Promise<void> => {
          for (const item of items) await unlessKilled(work(item));
        };
        const all = [
          ...lines.map((runs) => inTurn(runs, (one) => world.run(one))),
          inTurn(compactions.slice(0, 3), (one) => world.compact(one)),
          inTurn(compactions.slice(3), (one) => world.compact(one)),
          inTurn([1, 2], () => world.read(world.gate)),
        ];
        await scheduler.waitFor(Promise.all(all));
        const left = await world.read();
        assert.deepEqual(await world.read(), left);
        for (const hours of [0, 2, 2]) {
          const tidy = world.compact({ hours, kill: null });
          await scheduler.waitFor(tidy);
          assert.deepEqual(await world.read(), left, 'a compaction changes nothing');
        }
        assert.ok(world.bucket.keys(ROOT).length <= 1, 'and leaves one base');
      },
    ),
    { numRuns: 60 },
  );
});
