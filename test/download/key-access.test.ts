import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay } from '../../src/day-files/day.js';
import type { Sandbox, SandboxKeyAccess } from '../../src/sandbox/sandbox-options.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { type Run, run } from './runs.js';

const access = (more: Partial<SandboxKeyAccess>): SandboxKeyAccess => ({
  exchange: 'binance-futures',
  accessType: 'api-key',
  from: '2024-03-02T00:00:00.000Z',
  to: '2024-03-04T00:00:00.000Z',
  symbols: [],
  dataPlan: 'pro',
  ...more,
});

const WEEK = { date: undefined, from: '2024-02-29', to: '2024-03-05' };

const datasetRequests = ({ requests }: Sandbox): number =>
  requests.filter(({ host }) => host === 'datasets').length;

const reported = ({ files }: Run): readonly string[] =>
  files.map(({ status, file }) => `${file?.symbol} ${file && formatDay(file.day)} ${status}`).sort();

test('days and symbols without access are unauthorized, and not requested', async (t) => {
  const service = await sandbox(t, { keyAccess: [access({ symbols: ['BTCUSDT'] })] });
  const selection = { ...WEEK, symbols: ['BTCUSDT', 'ETHUSDT'] };
  const done = await run(service, await tempDir(t), { selection });
  assert.deepEqual(reported(done), [
    'BTCUSDT 2024-02-29 unauthorized',
    'BTCUSDT 2024-03-01 downloaded',
    'BTCUSDT 2024-03-02 downloaded',
    'BTCUSDT 2024-03-03 downloaded',
    'BTCUSDT 2024-03-04 unauthorized',
    'ETHUSDT 2024-02-29 unauthorized',
    'ETHUSDT 2024-03-01 downloaded',
    'ETHUSDT 2024-03-02 unauthorized',
    'ETHUSDT 2024-03-03 unauthorized',
    'ETHUSDT 2024-03-04 unauthorized',
  ]);
  assert.equal(datasetRequests(service), 4);
  assert.equal(done.summary.exitCode, 4);
});

test('existing files need no key', async (t) => {
  const dir = await tempDir(t);
  const full = await sandbox(t);
  await run(full, dir, { selection: WEEK });
  const expired = await sandbox(t, { keyAccess: [] });
  const done = await run(expired, dir, { selection: WEEK });
  assert.deepEqual([done.summary.exitCode, done.summary.counts], [0, { skipped: 5 }]);
});
