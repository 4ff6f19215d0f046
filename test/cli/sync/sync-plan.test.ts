import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sync } from '../../../src/index.js';
import { openDestination } from '../../../src/store/open-destination.js';
import { envOf, failedWith, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn } from '../../helpers/temp.js';

const JOBS = `dir: data
layout: hive
jobs:
  - {name: btc, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 3d}
  - {name: eth, exchange: binance-futures, types: quotes, symbols: ETHUSDT, last: 1d}
`;

test('sync --dry-run prints the plan of each job, writes nothing, and calls no hook', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const config = join(dir, 'tickhaul.yaml');
  await writeFile(config, JOBS);
  const hook = join(dir, 'hook');
  const { TICKHAUL_DIR: _, ...env } = envOf(service, join(dir, 'elsewhere'));
  const run = (...flags: readonly string[]) => runHere(['sync', '--config', config, ...flags], { env });
  const dry = (...flags: readonly string[]) => run('--dry-run', '--on-success', `touch ${hook}`, ...flags);

  const text = await succeeded(dry());
  assert.match(
    text.stdout,
    /^btc\nbinance-futures trades\n +BTCUSDT +download +3 days.*\neth\nbinance-futures quotes\n/,
  );
  assert.match(text.stderr, /^btc: 3 files: 3 download\n/);
  assert.match(text.stderr, /^eth: 1 file: 1 download\n/m);
  const lines = jsonLines(await dry('--json'));
  assert.deepEqual(
    lines.map(({ event, job, files, status }) => [event, job, files ?? status]),
    [
      ['plan', 'btc', 3],
      ['file', 'btc', 'download'],
      ['file', 'btc', 'download'],
      ['file', 'btc', 'download'],
      ['plan', 'eth', 1],
      ['file', 'eth', 'download'],
      ['summary', undefined, undefined],
    ],
  );
  const jobs = lines.at(-1)?.['jobs'] as readonly Record<string, unknown>[];
  assert.deepEqual([lines.at(-1)?.['download'], ...jobs.map(({ download }) => download)], [4, 3, 1]);
  await assert.rejects(access(join(dir, 'data')), 'not even the folder');
  await assert.rejects(access(hook));

  await succeeded(run('--job', 'btc'));
  const before = await namesIn(join(dir, 'data'));
  const destination = await openDestination(join(dir, 'data'), undefined, t.signal);
  const owner = { pid: process.pid, host: 'here', now: Date.now(), command: 'sync', isAlive: () => true };
  const { release } = await destination.acquireLock(owner, { timeoutMs: 0, signal: t.signal });
  const beside = await dry('--files');
  await release();
  await destination.close();
  assert.equal(beside.exitCode, 0, beside.stderr);
  assert.match(beside.stdout, /^btc\n(skip +exchange=.*\n){3}eth\ndownload +exchange=.*\n$/);
  assert.deepEqual(await namesIn(join(dir, 'data')), before);
});

test('sync --dry-run fails like sync for a job that the record lacks, and for strict days', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const config = join(dir, 'tickhaul.yaml');
  const { TICKHAUL_DIR: _, ...env } = envOf(service, join(dir, 'elsewhere'));
  const dry = (...flags: readonly string[]) =>
    runHere(['sync', '--config', config, '-n', '--json', ...flags], { env });
  await writeFile(config, JOBS.replace('ETHUSDT', 'NOSUCH'));
  await failedWith(dry(), 2, /tickhaul\.yaml:5: job "eth": .*NOSUCH/);
  await writeFile(config, JOBS.replace('last: 3d', 'from: 2024-03-08, to: 2024-03-12'));
  const strict = await dry('--strict');
  assert.equal(strict.exitCode, 7, strict.stderr);
  assert.deepEqual([jsonLines(strict).at(-1)?.['pending'], jsonLines(strict).at(-1)?.['exitCode']], [2, 7]);
  const run = sync({ config, dryRun: true, apiUrl: service.apiUrl, apiKey: service.apiKey });
  assert.deepEqual(
    (await run).jobs?.map(({ name, pending }) => [name, pending]),
    [
      ['btc', 2],
      ['eth', undefined],
    ],
  );
});
