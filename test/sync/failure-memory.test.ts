import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, formatDay } from '../../src/day-files/day.js';
import { tempDir } from '../helpers/temp.js';
import { filterByJob, job, requestedPaths, startNight, syncNow } from './helpers.js';

test('a job that fails does not stop the others, and its days are tried first the next night', async (t) => {
  const dir = await tempDir(t);
  const jobs = [
    job('btc', { from: '2024-03-01' }, { retries: 0 }),
    job('eth', { symbols: ['ETHUSDT'], last: 1 }),
  ];
  const bad = await startNight(t, '2024-03-08', { faults: { '500': 0.4 }, seed: 3 });
  const first = await syncNow(t, bad, dir, jobs);
  const failed = filterByJob(first.files, 'btc').filter(({ status }) => status === 'failed');
  assert.ok(failed.length > 0 && failed.length < 7);
  assert.ok(
    (first.summary.jobs?.[1]?.counts.downloaded ?? 0) + (first.summary.jobs?.[1]?.counts.failed ?? 0) > 0,
  );
  assert.equal(first.summary.exitCode, 5);

  const good = await startNight(t, '2024-03-10');
  const options = { concurrency: 1 };
  const second = await syncNow(t, good, dir, jobs, { options });
  assert.equal(second.summary.exitCode, 0);
  const days = requestedPaths(good).flatMap((path) => path.match(/\d{4}\/\d\d\/\d\d(?=\/BTC)/) ?? []);
  const again = failed.map(({ file }) => formatDay(file?.day as Day).replaceAll('-', '/')).sort();
  // The newest day is first: it shows whether the key has access.
  assert.deepEqual(days, ['2024/03/09', ...again, '2024/03/08']);
  const third = await syncNow(t, good, dir, jobs);
  assert.equal(third.summary.counts.skipped, 10);
});

test('files that failed before, in any job, precede the others of all jobs', async (t) => {
  const dir = await tempDir(t);
  const jobs = [job('btc', { last: 5 }), job('eth', { symbols: ['ETHUSDT'], last: 4 }, { retries: 0 })];
  const bad = await startNight(t, '2024-03-06', { faults: { '500': 1 } });
  await syncNow(t, bad, dir, jobs.slice(1));

  const good = await startNight(t, '2024-03-06');
  await syncNow(t, good, dir, jobs, { options: { concurrency: 1 } });
  const symbols = requestedPaths(good).map((path) => /[A-Z]{3}(?=USDT)/.exec(path)?.[0]);
  assert.deepEqual(symbols, ['BTC', 'BTC', 'ETH', 'ETH', 'ETH', 'ETH', 'BTC', 'BTC', 'BTC']);
});
