import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDay, parseDay } from '../../../src/day-files/day.js';
import { countPlan } from '../../../src/download/plan/report-plan.js';
import { days, plan, reported, symbol } from './planning.js';

const SYMBOLS = ['BTC-PERPETUAL', 'ETH-PERPETUAL', 'BTC-29MAR24', 'BTC-1MAR24'];

test('the last and the first day come before the rest', async (t) => {
  const { files } = await plan(t, { from: '2024-03-02', to: '2024-03-07' });
  assert.deepEqual(days(files()), ['2024-03-06', '2024-03-02', '2024-03-03', '2024-03-04', '2024-03-05']);
});

test('a plan can be iterated repeatedly, with each day file once', async (t) => {
  const { files } = await plan(t, { types: ['all'], symbols: ['all'], from: '2024-02-25', to: '2024-03-15' });
  const once = reported(files());
  assert.deepEqual(reported(files()), once);
  assert.equal(new Set(once).size, once.length);
  assert.equal((await countPlan({ files })).counts.files, once.length);
});

test('days after the export are pending, and days outside the availability are unavailable', async (t) => {
  const { files } = await plan(t, { symbols: ['eth-perpetual'], from: '2024-03-04', to: '2024-03-12' });
  assert.deepEqual(reported(files()).sort(), [
    'ETH-PERPETUAL trades 2024-03-04 unavailable',
    'ETH-PERPETUAL trades 2024-03-05 download',
    'ETH-PERPETUAL trades 2024-03-06 download',
    'ETH-PERPETUAL trades 2024-03-07 download',
    'ETH-PERPETUAL trades 2024-03-08 download',
    'ETH-PERPETUAL trades 2024-03-09 download',
    'ETH-PERPETUAL trades 2024-03-10 pending',
    'ETH-PERPETUAL trades 2024-03-11 pending',
  ]);
});

test('the day on which a symbol was delisted is requested, and may be absent', async (t) => {
  const { files } = await plan(t, { symbols: ['BTC-1MAR24'], from: '2024-02-29', to: '2024-03-03' });
  const found = [...files()].map((p) => [formatDay(p.file.day), p.status, p.mayBeAbsent]);
  assert.deepEqual(found.sort(), [
    ['2024-02-29', 'download', false],
    ['2024-03-01', 'download', true],
    ['2024-03-02', 'unavailable', false],
  ]);
});

test('without a key only the first day of each month is requested', async (t) => {
  const { files } = await plan(t, { from: '2024-02-28', to: '2024-03-03' }, { hasKey: false });
  assert.deepEqual([...files()].map((p) => [formatDay(p.file.day), p.status]).sort(), [
    ['2024-02-28', 'unauthorized'],
    ['2024-02-29', 'unauthorized'],
    ['2024-03-01', 'download'],
    ['2024-03-02', 'unauthorized'],
  ]);
});

test('without --to the range ends with the export', async (t) => {
  assert.deepEqual(days((await plan(t, { from: '2024-03-08' })).files()), ['2024-03-09', '2024-03-08']);
});

test('a day that is not exported yet is pending, not an empty range', async (t) => {
  assert.deepEqual(reported((await plan(t, { from: '2024-03-11' })).files()), [
    'BTC-PERPETUAL trades 2024-03-11 pending',
  ]);
});

test('--last counts exported days', async (t) => {
  assert.deepEqual(days((await plan(t, { last: 2 })).files()), ['2024-03-09', '2024-03-08']);
});

test('every selected day is planned exactly once, in or out of the availability', async (t) => {
  const first = parseDay('2024-02-20');
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (skip, count, hasKey) => {
        const from = formatDay((first + skip) as typeof first);
        const to = formatDay((first + skip + count) as typeof first);
        const { files } = await plan(t, { symbols: SYMBOLS, from, to }, { hasKey });
        const each = days(files()).sort();
        assert.equal(each.length, 4 * count);
        assert.equal(new Set(reported(files())).size, 4 * count);
        assert.equal(each[0], from);
        assert.ok((each.at(-1) ?? '') < to);
      },
    ),
    { numRuns: 30 },
  );
});

test('generates a million day files lazily', async (t) => {
  const dataTypes = ['trades'];
  const symbols = Array.from({ length: 1000 }, (_, i) => symbol(`S${i}`, 'spot', dataTypes));
  const record = { id: 'x', datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols } };
  const { files } = await plan(t, { symbols: ['all'], from: '2021-06-14' }, { record });
  const walk = files();
  assert.equal(walk.next().value?.status, 'download');
  assert.equal((await countPlan({ files })).counts.files, 1_000_000);
});
