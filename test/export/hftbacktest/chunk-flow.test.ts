import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  type Clock,
  createEventColumns,
  EVENT_BYTES,
  EventSpace,
} from '../../../src/export/hftbacktest/event-sequences.js';
import { EventStore, MergeState, ReadAgain } from '../../../src/export/hftbacktest/event-store.js';
import { mergeClocks, SortedEvents } from '../../../src/export/hftbacktest/sorted-events.js';
import { createRandom } from '../../audit/text-rows.js';
import { rounds } from '../../helpers/services.js';

const CHUNK_ROWS = 32;
/** Fewer than half a chunk has, as in an export: events are held back for a chunk, up to the end of a batch. */
const MAX_BATCH_ROWS = 14;
/** Chunks in memory, of both files together, with some of late events. */
const MAX_CHUNKS = 2 * 64 + 40;

interface TestEvent {
  readonly exch: number;
  readonly local: number;
}

/** How far some events of a file are before earlier ones, and how many of them there are. */
interface Disorder {
  readonly chance: number;
  readonly rows: number;
}

const NO_DISORDER: Disorder = { chance: 0, rows: 0 };

interface FileShape {
  readonly count: number;
  /** Time between two events, on average. */
  readonly step: number;
  readonly start?: number;
  readonly latency?: number;
}

/** Events of a file, some of them with equal times. */
function createFile(
  random: () => number,
  { count, step, start = 1000, latency = 20 }: FileShape,
  { chance, rows }: Disorder,
): readonly TestEvent[] {
  const late = (): number => (random() < chance ? Math.floor(random() * rows * step) : 0);
  let time = start;
  return Array.from({ length: count }, () => {
    time += Math.floor(random() * 2 * step);
    const exch = time - late();
    return { exch, local: Math.max(time + latency - late(), exch) };
  });
}

/** Adds a file in batches of random sizes, with turns for other work in between. */
async function addFile(
  space: EventSpace,
  store: EventStore,
  file: readonly TestEvent[],
  firstId: number,
  random: () => number,
  maxBatchRows: number,
): Promise<void> {
  for (let start = 0; start < file.length; ) {
    const events = file.slice(start, start + 1 + Math.floor(random() * maxBatchRows));
    const columns = createEventColumns(events.length);
    for (const [row, { exch, local }] of events.entries()) {
      columns.exch[row] = exch;
      columns.local[row] = local;
      columns.px[row] = firstId + start + row;
      columns.ev[row] = 1;
    }
    store.push(columns, 0, events.length);
    start += events.length;
    await store.waitForRoom();
    await space.flush();
    if (random() < 0.3) await setImmediate();
  }
  store.end();
}

/** All rows as text: id, and the bits of the clocks on which it is valid. */
async function mergeAll(space: EventSpace, stores: readonly EventStore[]): Promise<readonly string[]> {
  const open = (clock: Clock): Promise<SortedEvents> =>
    SortedEvents.open(
      space,
      stores.map((store) => store.ascendingRuns(clock)),
      clock,
    );
  const [byExch, byLocal] = [await open('exch'), await open('local')];
  const merged: string[] = [];
  for await (const { columns, rows } of mergeClocks(byExch, byLocal, () => createEventColumns(64)))
    for (let row = 0; row < rows; row++) merged.push(`${columns.px[row]} ${columns.ev[row]}`);
  return merged;
}

interface Outcome {
  readonly merged: readonly string[] | undefined;
  readonly expected: readonly string[];
}

/** Merges two files while they are added, and afterwards. `merged` is undefined if they must be read again. */
async function mergeBothWays(
  files: readonly (readonly TestEvent[])[],
  seed: number,
  maxBatchRows = MAX_BATCH_ROWS,
): Promise<Outcome> {
  const random = createRandom(seed);
  const fail = async (): Promise<never> => assert.fail('the limit of memory was reached');
  const add = (space: EventSpace, stores: readonly EventStore[], state?: MergeState): Promise<void>[] =>
    files.map((file, at) =>
      addFile(space, stores[at] as EventStore, file, at * 1e6, random, maxBatchRows).catch(
        (error: unknown) => {
          state?.stop();
          throw error;
        },
      ),
    );
  const whole = new EventSpace(fail, 1e9, CHUNK_ROWS);
  const wholeStores = files.map(() => new EventStore(whole));
  await Promise.all(add(whole, wholeStores));
  const expected = await mergeAll(whole, wholeStores);

  const state = new MergeState();
  const space = new EventSpace(fail, MAX_CHUNKS * CHUNK_ROWS * EVENT_BYTES, CHUNK_ROWS);
  const stores = files.map(() => new EventStore(space, state));
  const adding = add(space, stores, state);
  const results = await Promise.allSettled([mergeAll(space, stores), ...adding]);
  for (const result of results)
    if (result.status === 'rejected' && !(result.reason instanceof ReadAgain)) throw result.reason;
  const [merged] = results;
  const isDone = results.every(({ status }) => status === 'fulfilled');
  return { merged: isDone && merged.status === 'fulfilled' ? merged.value : undefined, expected };
}

for (const [name, trades, book] of [
  ['of the same time', { count: 600, step: 50 }, { count: 3000, step: 10 }],
  ['of which one is short', { count: 5, step: 50 }, { count: 3000, step: 10 }],
  ['of which one is long and begins late', { count: 9000, step: 1, start: 5e4 }, { count: 9000, step: 5 }],
  ['of which one is empty', { count: 0, step: 1 }, { count: 3000, step: 20 }],
  ['that fit into a chunk', { count: 5, step: 10 }, { count: 7, step: 10 }],
] as const)
  for (const [what, disorder] of [
    ['in order', NO_DISORDER],
    ['with late events', { chance: 0.02, rows: CHUNK_ROWS / 4 }],
  ] as const)
    test(`merges two files ${name}, ${what}, while they are added`, async () => {
      for (let seed = 1; seed <= rounds(10); seed++) {
        const random = createRandom(seed);
        const files = [createFile(random, trades, disorder), createFile(random, book, disorder)];
        const { merged, expected } = await mergeBothWays(files, seed);
        assert.deepEqual(merged, expected, `seed ${seed}`);
      }
    });

test('merges files with late events of any distance, or asks for another read', async () => {
  let read = 0;
  const all = rounds(300);
  for (let seed = 1; seed <= all; seed++) {
    const random = createRandom(seed);
    const disorder = (): Disorder => ({ chance: random() * 0.05, rows: random() * 2 * CHUNK_ROWS });
    const files = [
      createFile(random, { count: 300, step: 50 }, disorder()),
      createFile(random, { count: 1000, step: 15 }, disorder()),
    ];
    const { merged, expected } = await mergeBothWays(
      files,
      seed,
      seed % 2 === 0 ? MAX_BATCH_ROWS : 5 * CHUNK_ROWS,
    );
    if (merged) assert.deepEqual(merged, expected, `seed ${seed}`);
    else read++;
  }
  assert.ok(read > all / 15 && read < all - all / 15, `${read} of ${all} must be read again`);
});

test('asks for another read if too many events of one clock wait for the other', async () => {
  for (const [latency, isMerged] of [
    [2e4, true],
    [1e5, false],
  ] as const) {
    const random = createRandom(1);
    const trades = createFile(random, { count: 9000, step: 20 }, NO_DISORDER);
    const book = createFile(random, { count: 9000, step: 20, latency }, NO_DISORDER);
    const { merged, expected } = await mergeBothWays([trades, book], 1);
    assert.deepEqual(merged, isMerged ? expected : undefined);
  }
});

test('asks for another read after a negative latency, and after an event that is far too late', async () => {
  const file = createFile(createRandom(1), { count: 1000, step: 10 }, NO_DISORDER);
  const last = file.at(-1) as TestEvent;
  for (const event of [
    { exch: last.exch, local: last.exch - 1 },
    { exch: 1000, local: last.local },
  ]) {
    const { merged } = await mergeBothWays([file, [...file, event]], 1);
    assert.equal(merged, undefined);
  }
});
