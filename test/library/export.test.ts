import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { download, export as exportDayFiles, TickhaulError } from '../../src/index.js';
import { errorOf, eventsOf, place } from './calls.js';

test('export yields events, and rejects with the errors of the command', async (t) => {
  const { dir } = await place(t);
  await download({
    exchange: 'deribit',
    types: ['trades', 'incremental_book_L2'],
    symbols: 'BTC-PERPETUAL',
    date: '2024-03-01',
  });
  const options = { target: 'hftbacktest', paths: [dir], out: join(dir, 'npz') } as const;
  const run = exportDayFiles({ ...options, snapshots: 'ignore-sod', baseLatency: '5us' });
  const events = await eventsOf(run);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['plan', 'file', 'summary'],
  );
  const { converted, scripts } = await run;
  const path = join(dir, 'npz', 'run_hftbacktest.py');
  assert.deepEqual([converted, scripts], [1, [{ path, command: `python3 ${path}` }]]);
  const error = await errorOf(exportDayFiles({ ...options, timeframe: ['1m'] }));
  assert.ok(error instanceof TickhaulError);
  assert.deepEqual([error.code, error.exitCode], ['usage', 2]);
  assert.match(error.message, /timeframe has no effect on hftbacktest; omit it/);
});
