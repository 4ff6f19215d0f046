import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../src/day-files/day.js';
import { createWaitMs } from '../../src/sync/exchange-records.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';
import { job, syncNow } from './helpers.js';

test('waits grow from 1 to 10 minutes, whatever the random value', () => {
  const step = fc.tuple(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(step, ([attempt, random]) => {
      const ms = createWaitMs(attempt, random);
      assert.ok(ms >= 60_000 && ms <= 600_000);
      assert.ok(createWaitMs(attempt + 1, random) >= ms);
    }),
  );
  assert.notEqual(createWaitMs(3, 0), createWaitMs(3, 1), 'not all machines at once');
  assert.equal(createWaitMs(20, 1), 600_000);
});

test('waits until each exchange has the day, and requests only those that lack it', async (t) => {
  const nights = [
    await sandbox(t, { exportedUntil: parseDay('2024-03-09') }),
    await sandbox(t, { exportedUntil: parseDay('2024-03-10') }),
  ] as const;
  const asked: string[] = [];
  // kraken has it at once, deribit after two checks, and ftx closed years ago.
  const apiUrl = await serve(t, (request, response) => {
    const exchange = request.url?.split('/').at(-1) ?? '';
    if (request.url?.includes('/exchanges/')) asked.push(exchange);
    const looks = asked.filter((name) => name === exchange).length;
    const isThere = exchange !== 'deribit' || looks > 2;
    response.writeHead(302, { location: `${nights[isThere ? 1 : 0].apiUrl}${request.url}` }).end();
  });
  const jobs = [
    job('kraken', { exchange: 'kraken', symbols: ['XBT-USD'], last: 1 }),
    job('deribit', { exchange: 'deribit', symbols: ['BTC-PERPETUAL'], from: '2024-03-08' }),
    job('ftx', { exchange: 'ftx', symbols: ['BTC-PERP'], date: ['2022-11-01'] }),
  ];
  const steps: number[] = [];
  const stepMs = (attempt: number): number => {
    steps.push(attempt);
    return 1;
  };
  const waiting = { timeoutMs: 60_000, day: parseDay('2024-03-09'), stepMs };
  const service = { ...nights[1], apiUrl };
  const { summary, notes } = await syncNow(t, service, await tempDir(t), jobs, { waiting });
  assert.equal(summary.exitCode, 0);
  assert.equal(summary.counts.downloaded, 1 + 2 + 1);
  assert.deepEqual(steps, [0, 1]);
  assert.deepEqual(asked.slice(3), ['deribit', 'deribit']);
  assert.match(
    notes[0] ?? '',
    /^deribit: 2024-03-09 is not exported yet \(exported through 2024-03-08\); checking again/,
  );
});

test('after the wait, available days are downloaded, and the code is 7', async (t) => {
  const service = await sandbox(t);
  const waiting = { timeoutMs: 30, day: parseDay('2024-03-10'), stepMs: () => 10 };
  const { summary } = await syncNow(t, service, await tempDir(t), [job('btc', { last: 2 })], { waiting });
  assert.deepEqual(
    [summary.exitCode, summary.counts, summary.error?.code],
    [7, { downloaded: 2 }, 'not_exported'],
  );
});

test('does not wait for a range that has ended', async (t) => {
  const service = await sandbox(t);
  const waiting = { timeoutMs: 60_000, stepMs: () => assert.fail('waited') };
  const jobs = [
    job('btc', { from: '2024-03-01', to: '2024-03-03' }),
    job('eth', { symbols: ['ETHUSDT'], date: ['2024-03-01'] }),
  ];
  assert.equal((await syncNow(t, service, await tempDir(t), jobs, { waiting })).summary.exitCode, 0);
});

test('retries a service that does not respond until the timeout', async (t) => {
  const service = await sandbox(t);
  let isDown = true;
  const apiUrl = await serve(t, (request, response) => {
    if (isDown) response.writeHead(403).end('{"message":"no"}');
    else response.writeHead(302, { location: service.apiUrl + request.url }).end();
  });
  const stepMs = (): number => {
    isDown = false;
    return 1;
  };
  const waiting = { timeoutMs: 60_000, day: parseDay('2024-03-09'), stepMs };
  const { summary } = await syncNow(t, { ...service, apiUrl }, await tempDir(t), [job('btc', { last: 1 })], {
    waiting,
  });
  assert.equal(summary.exitCode, 0);
});

test('a service that never responds is not a late export: the code is that of its failure', async (t) => {
  const apiUrl = await serve(t, (_request, response) => {
    response.writeHead(503).end();
  });
  const service = { ...(await sandbox(t)), apiUrl };
  const waiting = { timeoutMs: 1, stepMs: () => 1 };
  const { summary } = await syncNow(t, service, await tempDir(t), [job('btc', { last: 1 })], { waiting });
  assert.deepEqual([summary.exitCode, summary.error, summary.jobs?.[0]?.exitCode], [5, undefined, 5]);
});
