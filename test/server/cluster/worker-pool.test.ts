import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WorkerPool } from '../../../src/server/cluster/start-cluster.js';

const EXEC = fileURLToPath(new URL('./failing-worker.js', import.meta.url));

test('workers that can’t begin end the cluster with the error of one of them, or the signal that ended it', async () => {
  cluster.setupPrimary({ exec: EXEC, args: [] });
  const cases = [
    [
      { code: 'usage', message: 'not so' },
      { exitCode: 2, message: 'a worker failed to start: not so' },
    ],
    [{ message: '' }, { exitCode: 1, message: 'a worker failed to start: SIGKILL' }],
  ] as const;
  for (const [input, error] of cases) {
    const warnings: string[] = [];
    const pool = new WorkerPool({
      size: 2,
      input,
      maxClients: 10,
      fork: () => cluster.fork(),
      log: { warn: (line) => void warnings.push(line) },
      memory: () => process.memoryUsage(),
    });
    await assert.rejects(pool.open(), error);
    await pool.end(0);
    assert.deepEqual(warnings, []);
  }
});
