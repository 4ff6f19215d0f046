import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit, download, TickhaulError } from '../../src/index.js';
import { errorOf, eventsOf, ONE, place } from './calls.js';

test('audit judges the days of a folder, and rejects with the code of failOn', async (t) => {
  await place(t);
  await download({ ...ONE });
  const run = audit();
  const events = await eventsOf(run);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['plan', 'day', 'summary'],
  );
  const day = events.find(({ event }) => event === 'day');
  assert.ok(day?.event === 'day');
  assert.deepEqual([day.symbol, day.date, day.condition], ['BTCUSDT', ONE.date, 'available']);
  assert.equal(day.checks?.['local_order']?.count, 0);
  const summary = await run;
  assert.equal(summary.available, 1);
  assert.ok(summary.bytes > 0);
  assert.equal(
    (await audit({ types: 'trades', gap: '2m', jump: 0.5, degrade: ['gap', 'crossed'] })).available,
    1,
  );
  assert.equal((await download({ ...ONE, existing: 'overwrite', audit: true })).available, 1);
  assert.equal((await audit()).bytes, 0);
  const failed = await errorOf(audit({ failOn: 'available' }));
  assert.ok(failed instanceof TickhaulError);
  assert.deepEqual([failed.code, failed.exitCode, failed.summary.available], ['audit_failed', 10, 1]);
  assert.match(failed.message, /^1 day with a condition or a failed check among: available$/);
  const unknown = await errorOf(audit({ failOn: ['available', 'gaps'] }));
  assert.deepEqual([unknown.code, unknown.exitCode], ['usage', 2]);
  assert.match(unknown.message, /^failOn: "gaps" is not a known name; did you mean gap/);
});
