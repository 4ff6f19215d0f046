import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { start } from '../helpers/cli.js';
import { smallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';
import { MINUTES, OPTIONS, type OutputOption, place } from './output-options.js';

test('a named pipe without a reader can be interrupted', async (t) => {
  const dir = await tempDir(t);
  for (const pipe of ['config', 'out']) execFileSync('mkfifo', [join(dir, pipe)]);
  const words = ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...MINUTES, '--config', 'config'];
  const { child, finished } = start([...words, '-o', 'out'], { cwd: dir });
  const config = createWriteStream(join(dir, 'config'));
  // Opening the read end waits for the command.
  await once(config, 'open');
  config.end(
    'dir: data\njobs: [{ name: trades, exchange: deribit, types: trades, symbols: all, last: 1d }]\n',
  );
  await once(config, 'close');
  child.kill('SIGTERM');
  assert.equal((await finished).exitCode, 143);
  assert.ok(lstatSync(join(dir, 'out')).isFIFO());
});

test('a named pipe whose reader leaves is a normal end', async (t) => {
  const { dir, run } = await place(t);
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [{ words }] = OPTIONS as [OutputOption];
  const option = { words: [...words.slice(0, -1), '--json', '-o'], content: /./ };
  const ended = run({ ...option, words: option.words.map((word) => word.replace('_1m', '_1ticks')) }, 'pipe');
  const reader = createReadStream(pipe);
  await once(reader, 'data');
  reader.destroy();
  const { exitCode, stderr } = await ended;
  assert.equal(exitCode, 0, stderr);
  assert.ok(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').messages > 0);
});

test('stdout to a file on a full disk is code 8', async (t) => {
  const disk = await smallDisk(t, '64k');
  if (!disk) return;
  const { runBuilt } = await place(t);
  const [{ words, content }] = OPTIONS as [OutputOption];
  const full = await runBuilt({ words, content }, '-', `exec "$0" "$@" > ${join(disk.dir, 'out')}`);
  assert.equal(full.exitCode, 8, full.stderr);
  assert.match(full.stderr, /^tickhaul: stdout: the disk is full/m);
});
