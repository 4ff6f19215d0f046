import assert from 'node:assert/strict';
import { copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, start, tickhaul } from '../../helpers/cli.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { repeated } from '../convert/converting.js';

const DATE = ['--date', '2024-03-01'];

test('a replay continues while its day file is replaced by an equal one', async (t) => {
  const [served, dir] = [await tempDir(t), await tempDir(t)];
  const source = await writeDayFile(served, 'trades', repeated(csvOf('trades', 20_000), 6));
  const service = await sandbox(t, { replayDir: served, exportedUntil: undefined });
  const env = envOf(service, dir);
  const args = ['replay', 'deribit', '-t', 'trade', ...DATE];
  const right = await tickhaul(args, { env });
  assert.equal(right.exitCode, 0, right.stderr);
  const path = join(dir, basename(source));
  const { ino } = await stat(path);

  const { child, printed, finished } = start(args, { env });
  cleanUp(t, () => killAndWait(child));
  await printed('\n');
  // It fills its buffers, and then stops.
  child.stdout?.pause();
  const again = ['download', 'deribit', '-t', 'trades', '-s', 'all', ...DATE, '--existing', 'overwrite'];
  const { exitCode, stderr } = await tickhaul(again, { env });
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /1 downloaded/);
  assert.equal((await stat(path)).ino, ino);
  await mkdir(join(dir, 'equal'));
  await copyFile(path, join(dir, 'equal', 'copy'));
  await rename(join(dir, 'equal', 'copy'), path);
  assert.notEqual((await stat(path)).ino, ino);
  child.stdout?.resume();
  const replayed = await finished;
  assert.equal(replayed.exitCode, 0, replayed.stderr);
  assert.ok(replayed.stdout === right.stdout);
  const verified = await tickhaul(['verify'], { env });
  assert.equal(verified.exitCode, 0, verified.stderr);
});
