import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { BLOCK_ROWS, EventRows, ROW_BYTES } from '../../../src/export/hftbacktest/event-rows.js';
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
import { eachRound } from '../../helpers/services.js';

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

const LAST_BLOCK = Buffer.from([3, 0]);
const encoder = new EventRows();
const columns = createEventColumns(BLOCK_ROWS);

/** Makes the cells of a row from random numbers. */
type Row = readonly [exch: number, local: number, px: number, qty: number, ev: number];

/** Encodes rows, and compares them with those that a DataView writes, and with the inflated ones. */
function assertEncodes(rows: readonly Row[], shiftNs = 0n): number {
  const expected = Buffer.alloc(ROW_BYTES * rows.length);
  for (const [at, [exch, local, px, qty, ev]] of rows.entries()) {
    columns.exch[at] = exch;
    columns.local[at] = local;
    columns.px[at] = px;
    columns.qty[at] = qty;
    columns.ev[at] = ev;
    expected.writeBigUInt64LE(BigInt(ev & 15) | (BigInt(ev >> 4) << 28n), 64 * at);
    expected.writeBigInt64LE(BigInt(exch) * 1000n, 64 * at + 8);
    expected.writeBigInt64LE(BigInt(local) * 1000n + shiftNs, 64 * at + 16);
    expected.writeDoubleLE(px, 64 * at + 24);
    expected.writeDoubleLE(qty, 64 * at + 32);
  }
  const block = encoder.encode(columns, rows.length, shiftNs);
  assert.ok(expected.equals(block.rows));
  assert.ok(expected.equals(inflateRawSync(Buffer.concat([block.deflated, LAST_BLOCK]))));
  return block.deflated.length;
}

test('encodes blocks of any length and content', async () => {
  await eachRound(300, (seed) => {
    const random = createRandom(seed);
    const whole = (below: number): number => Math.floor(random() * below);
    const variety = 2 ** whole(24);
    const bits = (): number => Buffer.from(Array.from({ length: 8 }, () => whole(256))).readDoubleLE();
    const value = seed % 3 === 0 ? bits : (): number => whole(variety) / 100;
    const rows = Array.from(
      { length: 1 + whole(seed % 10 === 0 ? BLOCK_ROWS : 700) },
      (): Row => [1.6e15 + whole(variety), 1.6e15 + whole(variety), value(), value(), whole(256)],
    );
    assertEncodes(rows, BigInt(whole(1e6)));
  });
});

test('encodes the least and the greatest times, and equal rows', () => {
  const limit = Number.MAX_SAFE_INTEGER;
  assertEncodes([
    [limit, -limit, 0, -0, 255],
    [-limit, limit, Number.MAX_VALUE, 5e-324, 0],
  ]);
  const equal = Array.from({ length: BLOCK_ROWS }, (): Row => [1, 2, 3, 4, 1]);
  // Matches have at most 258 bytes, and the code lengths take 167.
  assert.ok(assertEncodes(equal) < 4000);
});

test('finds equal cells of other rows: deflated rows take about half of the bytes that differ', () => {
  const random = createRandom(5);
  const rows = Array.from({ length: BLOCK_ROWS }, (_, at): Row => {
    const tick = 1_165_700 + Math.floor(random() * 200);
    const time = 1.6e15 + 40_000 * Math.floor(at / 12);
    return [time, time + 6000, tick / 100, Math.floor(random() * 50) / 1000, 0xe1];
  });
  assert.ok(assertEncodes(rows) < 10 * BLOCK_ROWS);
});
