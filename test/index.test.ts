import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  convertFiles,
  convertOptions,
  createClient,
  download,
  inspectFile,
  type RunEvent,
  verify,
} from '../src/index.js';
import { sandbox } from './helpers/sandbox.js';
import { tempDir } from './helpers/temp.js';

test('the library downloads, converts, inspects and verifies, with the events of the command line', async (t) => {
  const [service, dir] = [await sandbox(t), await tempDir(t)];
  const { apiUrl, datasetsUrl, apiKey } = service;
  const client = createClient({ apiUrl, datasetsUrl, apiKey, stallTimeoutMs: 10_000, env: {} });
  t.after(() => client.close());
  const events: RunEvent[] = [];
  const run = {
    owner: { pid: process.pid, host: 'here', command: 'test', now: Date.now(), isAlive: () => true },
    emit: (event: RunEvent) => events.push(event),
    signal: new AbortController().signal,
  };
  const selection = { exchange: 'deribit', types: ['trades'], symbols: ['BTC-PERPETUAL'] };
  const downloaded = await download({
    ...run,
    client,
    selection: { ...selection, date: '2024-03-01', layout: 'flat' },
    options: {
      dir,
      concurrency: 'auto',
      retries: 1,
      maxWaitMs: 1000,
      existing: 'skip',
      failFast: false,
      strict: false,
    },
  });
  assert.deepEqual([downloaded.exitCode, downloaded.counts], [0, { downloaded: 1 }]);

  const converted = await convertFiles({
    ...run,
    paths: [dir],
    options: convertOptions('parquet', {}),
    jobs: 1,
    existing: 'skip',
    keepSource: true,
  });
  assert.deepEqual([converted.exitCode, converted.counts], [0, { converted: 1 }]);

  const path = join(dir, 'deribit_trades_2024-03-01_BTC-PERPETUAL.parquet');
  const { rows } = await inspectFile({ path, signal: run.signal });
  const told = events.flatMap((event) => (event.event === 'file' ? [event.rows] : []));
  assert.deepEqual(told, [rows, rows]);

  const verified = await verify({
    ...run,
    dir,
    paths: [],
    quick: false,
    jobs: 1,
    adopt: false,
    forget: false,
    clean: false,
    strict: false,
  });
  assert.deepEqual([verified.exitCode, verified.counts], [0, { verified: 2 }]);
});
