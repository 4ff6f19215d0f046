import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyFile } from '../../../src/gzip/verify-file.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { inTerminal, NO_TERMINAL } from '../../helpers/terminal.js';
import { DAYS, FIRST, lastLine } from './downloading.js';

/** With typical sizes the estimate is 2 MB; the embedded service sends a few kB. */
const ARGS = ['binance-futures', '-t', 'derivative_ticker', '-s', 'BTCUSDT', '--date', '2024-03-01'];
const NAME = 'binance-futures_derivative_ticker_2024-03-01_BTCUSDT.csv.gz';
const DOWNLOAD = `tickhaul download ${ARGS.join(' ')}`;

test('on a terminal, asks before the start if the disk is too small for the estimate', {
  skip: NO_TERMINAL,
}, async (t) => {
  const disk = await smallDisk(t, '1m');
  if (!disk) return;
  const { service, dir } = await sandboxAndFolder(t);
  const env = { ...envOf(service, disk.dir), XDG_CACHE_HOME: dir };
  const { child, printed, finished } = inTerminal(
    `stty -echo
     ${DOWNLOAD}; echo first $?
     ${DOWNLOAD}; echo second $?`,
    dir,
    env,
  );
  cleanUp(t, () => killAndWait(child));
  await printed(
    /the disk of .* has 1\.0 MB free, which may not be enough: the size of\s+the download is unknown\.\s+Continue\? \[y\/N\] $/,
  );
  const asked = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
  assert.equal(asked(), 0);
  child.stdin?.write('\n');
  await printed(/nothing was downloaded: .*first 8\s.*Continue\? \[y\/N\] $/s);
  assert.equal(asked(), 0);
  child.stdin?.write('y\n');
  await printed(/second 0/);
  child.stdin?.end();
  const { stdout } = await finished;
  assert.match(stdout, /1 file to download, size unknown; .* free/s);
  assert.ok(existsSync(join(disk.dir, NAME)));
});

test('Ctrl-C counts as no, and --yes skips the question', { skip: NO_TERMINAL }, async (t) => {
  const disk = await smallDisk(t, '1m');
  if (!disk) return;
  const { service, dir } = await sandboxAndFolder(t);
  const { child, printed, finished } = inTerminal(
    `trap : INT
     ${DOWNLOAD}; echo first $?
     ${DOWNLOAD} --yes; echo second $?`,
    dir,
    { ...envOf(service, disk.dir), XDG_CACHE_HOME: dir },
  );
  cleanUp(t, () => killAndWait(child));
  await printed('Continue?');
  child.stdin?.write('\u0003');
  await printed(/second \d/);
  child.stdin?.end();
  const { stdout } = await finished;
  assert.match(stdout, /\^C\r\ntickhaul: interrupted .*first 130/s);
  assert.match(stdout, /warning\S* the disk of .*second 0/s);
  assert.equal(stdout.match(/Continue\?/g)?.length, 1);
});

test('without a terminal, warns and continues', async (t) => {
  const disk = await smallDisk(t, '1m');
  if (!disk) return;
  const service = await sandbox(t);
  const env = { ...envOf(service, disk.dir), XDG_CACHE_HOME: await tempDir(t) };
  const plan = await runHere(['plan', ...ARGS], { env });
  assert.match(plan.stderr, /^warning the disk of .* has 1\.0 MB free/);
  assert.equal(plan.exitCode, 0);
  const { exitCode, stderr } = await runHere(['download', ...ARGS], { env });
  assert.match(
    stderr,
    /^warning the disk of .*\n1 file planned: 1 to download, size unknown; 1\.0 MB free\n/,
  );
  assert.equal(exitCode, 0);
});

test('the estimate includes the space of conversions', async (t) => {
  const disk = await smallDisk(t, '3m');
  if (!disk) return;
  const service = await sandbox(t);
  const env = { ...envOf(service, disk.dir), XDG_CACHE_HOME: await tempDir(t) };
  const warned = async (...args: string[]): Promise<boolean> =>
    (await runHere(['plan', ...ARGS, ...args], { env })).stderr.startsWith('warning');
  assert.deepEqual(
    [
      await warned(),
      await warned('--convert', 'parquet'),
      await warned('--convert', 'parquet', '--no-keep-csv'),
    ],
    [false, true, false],
  );
});

test('plan and download report the same estimate in JSON', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const [plan] = jsonLines(await runHere(['plan', ...ARGS, '--json'], { env }));
  const [download] = jsonLines(await runHere(['download', ...ARGS, '--json'], { env }));
  for (const reported of [plan, download]) {
    const estimate = ['estimatedBytes', 'estimatedRows', 'estimatedSeconds', 'estimateBasis'];
    assert.deepEqual(
      estimate.map((key) => reported?.[key]),
      [2_160_000, 90_000, null, 'typical'],
    );
    assert.equal(typeof reported?.['freeBytes'], 'number');
  }
});

test('a file size limit ends the run at once with code 8', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 20_000 });
  const finished = await tickhaul([...DAYS, '--json'], {
    env,
    // In blocks of 512 or 1024 bytes, and less than one day file.
    command: ['sh', '-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath],
  });
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.ok(jsonLines(finished).filter((line) => line['status'] === 'failed').length <= 8);
  assert.deepEqual(
    (await namesIn(dir)).filter((name) => name.endsWith('.csv.gz')),
    [],
  );
});

test('a full disk ends the run at once with code 8; with free space, the next run downloads all', async (t) => {
  const disk = await smallDisk(t, '400k');
  if (!disk) return;
  const { dir } = disk;
  const service = await sandbox(t, { rows: 8000 });
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  const finished = await tickhaul([...DAYS, '--json'], { env });
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.match(JSON.stringify(lastLine(finished)), /disk is full|free/);
  for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await verifyFile(join(dir, name));
  disk.grow();
  await succeeded(runHere([...DAYS, '--quiet'], { env }));
  assert.equal((await namesIn(dir)).length, 14);
});

test('a file in place of the folder is code 8', async (t) => {
  const dir = join(await tempDir(t), 'file');
  await writeFile(dir, '');
  const { exitCode, stderr } = await runHere(FIRST, {
    env: { ...envOf(await sandbox(t), dir), XDG_CACHE_HOME: await tempDir(t) },
  });
  assert.equal(exitCode, 8, stderr);
});

test('rm -rf of the folder between two runs does no harm', async (t) => {
  const service = await sandbox(t);
  const dir = join(await tempDir(t), 'a', 'b');
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  await succeeded(runHere(FIRST, { env }));
  await rm(dir, { recursive: true });
  await succeeded(runHere(FIRST, { env }));
  assert.equal((await namesIn(dir)).length, 1);
});
