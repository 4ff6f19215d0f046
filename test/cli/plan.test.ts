import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { envOf, type Finished, jsonLines } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { tradesOf } from '../helpers/selection.js';

test('plan and download --dry-run list the same files, and write nothing', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = { ...envOf(service, join(dir, 'sets')), XDG_CACHE_HOME: join(dir, 'cache') };
  const words = [...tradesOf('2024-03-08', '2024-03-12'), '--json'];
  const plan = await runHere(['plan', ...words], { env });
  const [counts, ...files] = jsonLines(plan);
  assert.deepEqual(
    [counts?.event, counts?.['files'], counts?.['download'], counts?.['pending']],
    ['plan', 4, 2, 2],
  );
  assert.deepEqual(
    files.map((line) => line['status'] ?? line.event),
    ['download', 'download', 'pending', 'pending', 'summary'],
  );
  const dry = await runHere(['download', ...words, '--dry-run'], { env });
  // The free space of the disk varies.
  const reported = (run: Finished) =>
    jsonLines(run)
      .slice(0, -1)
      .map(({ freeBytes: _, ...rest }) => rest);
  assert.deepEqual(reported(dry), reported(plan));
  await assert.rejects(readFile(join(dir, 'sets', '.tickhaul', 'manifest.jsonl')), { code: 'ENOENT' });
  assert.ok(service.requests.every((request) => request.host === 'api'));
});

test('prints a plan by symbol, and with --files one line per file in order of days', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const words = ['plan', ...tradesOf('2024-03-08', '2024-03-11')];
  const plan = await runHere(words, { env });
  assert.match(
    plan.stdout,
    /^binance-futures trades\n {2}BTCUSDT {2}download {2}2 days {2}2024-03-08 to 2024-03-09\n {11}pending +1 day +2024-03-10\n$/,
  );
  assert.match(plan.stderr, /^3 files: 2 download, 1 pending\nsize unknown; \S+ \S+ free\n$/);
  const files = await runHere([...words, '--files'], { env });
  assert.deepEqual(files.stdout.match(/^\w+|2024-03-\d\d/gm), [
    'download',
    '2024-03-08',
    'download',
    '2024-03-09',
    'pending',
    '2024-03-10',
  ]);
});
