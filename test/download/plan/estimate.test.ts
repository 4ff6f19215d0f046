import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../../src/events/run-events.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { type Run, run } from '../runs.js';

function planOf({ events }: Run): Extract<RunEvent, { event: 'plan' }> {
  const plan = events.find((event) => event.event === 'plan');
  assert.ok(plan);
  return plan;
}

/** Ratio of the estimate to the actual size. */
function ratios({ events, summary, files }: Run): { bytes: number; rows: number } {
  const { estimatedBytes, estimatedRows } = planOf({ events, summary, files });
  const rows = files.reduce((sum, file) => sum + (file.rows ?? 0), 0);
  return {
    bytes: (estimatedBytes ?? Number.NaN) / summary.bytes,
    rows: (estimatedRows ?? Number.NaN) / rows,
  };
}

const isWithin = (ratio: number, times: number): boolean => ratio < times && ratio > 1 / times;

test('totals of the exchange estimate a new series within a factor of three, earlier days within 30 %', async (t) => {
  const service = await sandbox(t, { rows: 3000 });
  for (const type of ['trades', 'incremental_book_L2']) {
    const dir = await tempDir(t);
    const types = [type];
    const symbols = ['BTCUSDT', 'ETHUSDT'];
    const first = await run(service, dir, {
      selection: { types, symbols, date: undefined, from: '2024-03-01', to: '2024-03-04' },
    });
    assert.equal(planOf(first).estimateBasis, 'record');
    const rough = ratios(first);
    assert.ok(isWithin(rough.bytes, 3) && isWithin(rough.rows, 3), `${type} ${JSON.stringify(rough)}`);

    const second = await run(service, dir, {
      selection: { types, symbols, date: undefined, from: '2024-03-01', to: '2024-03-10' },
    });
    assert.equal(planOf(second).estimateBasis, 'manifest');
    const near = ratios(second);
    assert.ok(isWithin(near.bytes, 1.3) && isWithin(near.rows, 1.3), `${type} ${JSON.stringify(near)}`);
  }
});

test('existing files do not count, and nothing left to download is nothing', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const selection = { date: undefined, from: '2024-03-01', to: '2024-03-03' };
  await run(service, dir, { selection });
  const again = planOf(await run(service, dir, { selection }));
  assert.deepEqual(
    [again.estimatedBytes, again.estimatedRows, again.estimateBasis, again.skip],
    [0, 0, null, 2],
  );
  assert.ok((again.freeBytes ?? 0) > 0);
});

test('typical sizes of a data type are marked as such', async (t) => {
  const service = await sandbox(t);
  const plan = planOf(
    await run(service, await tempDir(t), { selection: { types: ['derivative_ticker', 'trades'] } }),
  );
  assert.equal(plan.estimateBasis, 'typical');
  assert.ok((plan.estimatedBytes ?? 0) > 1e6);
});

test('a rate limit gives an estimate of the time without a measured rate', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const free = planOf(await run(service, dir));
  assert.equal(free.estimatedSeconds, null);
  const bound = planOf(
    await run(service, dir, { selection: { date: ['2024-03-02'] }, options: { maxRate: 1000 } }),
  );
  assert.equal(bound.estimatedSeconds, Math.round((bound.estimatedBytes ?? 0) / 1000));
});
