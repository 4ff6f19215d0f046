import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Clock,
  createEventColumns,
  EventSpace,
} from '../../../src/export/hftbacktest/event-sequences.js';
import { EventStore } from '../../../src/export/hftbacktest/event-store.js';
import { SortedEvents } from '../../../src/export/hftbacktest/sorted-events.js';
import { openSpillFile } from '../../../src/export/job-memory.js';
import { createRandom } from '../../audit/text-rows.js';
import { cleanUp } from '../../helpers/clean-up.js';

/** More than fit into one chunk. */
const ROWS = 40_000;
/** More late ones than are sorted at once. */
const MANY_ROWS = 300_000;

const event = createEventColumns(1);

function push(store: EventStore, exch: number, local: number, id: number): void {
  event.exch[0] = exch;
  event.local[0] = local;
  event.px[0] = id;
  event.ev[0] = 1;
  store.push(event, 0, 1);
}

/** Numbers that identify the events, as `px`, in the order of a clock. */
async function readIds(space: EventSpace, store: EventStore, clock: Clock): Promise<Uint32Array> {
  const sorted = await SortedEvents.open(space, [store.ascendingRuns(clock)], clock);
  const ids = new Uint32Array(store.rows);
  let at = 0;
  for (let head = sorted.head; head; head = sorted.head) {
    ids[at++] = head.columns.px[head.row] as number;
    if (!sorted.advance()) await sorted.load();
  }
  assert.equal(at, store.rows);
  return ids;
}

for (const [name, memoryBytes, disorder, rows] of [
  ['in memory, almost in order', 1e9, 0.01, ROWS],
  ['in a file, almost in order', 1e6, 0.01, ROWS],
  ['in a file, in any order', 0, 1, MANY_ROWS],
] as const)
  test(`sorts events stably by both clocks: ${name}`, async (t) => {
    let hasSpill = false;
    const space = new EventSpace(async () => {
      hasSpill = true;
      const spill = await openSpillFile();
      cleanUp(t, () => spill.close());
      return spill;
    }, memoryBytes);
    const store = new EventStore(space);
    const random = createRandom(9);
    const times = { exch: new Float64Array(rows), local: new Float64Array(rows) };
    for (let id = 0; id < rows; id++) {
      const time = (): number => (random() < disorder ? Math.floor(random() * rows) : id) >> 3;
      times.exch[id] = time();
      times.local[id] = time();
      push(store, times.exch[id] as number, times.local[id] as number, id);
      if (id % 8192 === 0) await space.flush();
    }
    store.end();
    await space.flush();
    assert.equal(hasSpill, memoryBytes < 1e9);
    for (const clock of ['exch', 'local'] as const) {
      const expected = Uint32Array.from({ length: rows }, (_, id) => id).sort(
        (a, b) => (times[clock][a] as number) - (times[clock][b] as number) || a - b,
      );
      assert.deepEqual(await readIds(space, store, clock), expected);
    }
  });

test('sorts the rows after one with a time that is far too late', async () => {
  const space = new EventSpace(() => assert.fail('needs no file'), 1e9);
  const store = new EventStore(space);
  for (let id = 0; id < ROWS; id++) push(store, id === 5 ? 1e12 : id, id, id);
  store.end();
  const ids = await readIds(space, store, 'exch');
  assert.deepEqual([...ids.subarray(0, 7)], [0, 1, 2, 3, 4, 6, 7]);
  assert.deepEqual([...ids.subarray(-2)], [ROWS - 1, 5]);
});
