import assert from 'node:assert/strict';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyFile } from '../../../src/gzip/verify-file.js';
import { envOf, jsonLines, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { DAYS, FIRST, lastLine } from './downloading.js';

test('a file size limit ends the run at once with code 8', async (t) => {
  const service = await sandbox(t, { rows: 20_000 });
  const dir = await tempDir(t);
  const finished = await tickhaul([...DAYS, '--json'], {
    env: envOf(service, dir),
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
  assert.equal((await runHere([...DAYS, '--quiet'], { env })).exitCode, 0);
  assert.equal((await namesIn(dir)).length, 14);
});

test('a read-only folder is code 8, with the folder’s name', async (t) => {
  if (process.getuid?.() === 0) {
    t.skip('root may write everywhere');
    return;
  }
  const dir = await tempDir(t);
  await chmod(dir, 0o500);
  const { exitCode, stderr } = await tickhaul(FIRST, { env: envOf(await sandbox(t), dir) });
  assert.equal(exitCode, 8);
  assert.match(stderr, new RegExp(dir));
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
  assert.equal((await runHere(FIRST, { env })).exitCode, 0);
  await rm(dir, { recursive: true });
  assert.equal((await runHere(FIRST, { env })).exitCode, 0);
  assert.equal((await namesIn(dir)).length, 1);
});
