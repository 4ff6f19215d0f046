import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, start, succeeded } from '../../helpers/cli.js';
import { gated, opening } from '../../helpers/gate.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { repeated } from '../convert/converting.js';

const ARGS = ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', '--from', '2024-03-01', '--to', '2024-03-04'];
const THIRD_DAY = /\/2024\/03\/03\//;

test('a replay starts while later days are downloaded; a failed day ends it with its code, after all earlier days', async (t) => {
  const service = await sandbox(t);
  const whole = await succeeded(runHere(ARGS, { env: envOf(service, await tempDir(t)) }));
  const third = opening();
  let status: number | undefined;
  const gate = await gated(t, service, async (url) => {
    if (!THIRD_DAY.test(url)) return undefined;
    await third.opened;
    return status;
  });
  status = 404;
  const dir = await tempDir(t);
  const { printed, finished } = start([...ARGS, '--json'], { env: envOf(gate, dir) });
  // Two days are complete before the third has a result.
  await printed('"localTimestamp":"2024-03-02');
  third.open();
  const { exitCode, stdout, stderr } = await finished;
  assert.equal(exitCode, 7, stderr);
  assert.equal(stdout, whole.stdout.slice(0, stdout.length));
  assert.match(whole.stdout.slice(stdout.length), /^\{.*"localTimestamp":"2024-03-03/);
  assert.match(stderr, /^tickhaul: .*2024-03-03_BTC-PERPETUAL/m);
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(error.code, 'unavailable');
  const out = join(dir, 'out');
  assert.equal((await runHere([...ARGS, '-o', join(out, 'a')], { env: envOf(gate, dir) })).exitCode, 7);
  assert.deepEqual(readdirSync(out), []);
  status = undefined;
  const mended = await runHere(ARGS, { env: envOf(gate, dir) });
  assert.equal(mended.stdout, whole.stdout);
  assert.ok(!existsSync(join(dir, '.tickhaul/lock')));
});

test('a reader that leaves ends the downloads', async (t) => {
  // More than a pipe holds.
  const service = await sandbox(t, { rows: 3000 });
  const never = new Promise<undefined>(() => {});
  const gate = await gated(t, service, (url) => (THIRD_DAY.test(url) ? never : undefined));
  const dir = await tempDir(t);
  const script = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const options = { env: envOf(gate, dir), command: ['bash', '-c', script, process.execPath] };
  const { stdout, stderr } = await start([...ARGS, '-q'], options).finished;
  assert.match(stdout, /^\{"type":"trade".*\}\n0\n$/);
  assert.equal(stderr, '');
  assert.ok(!existsSync(join(dir, '.tickhaul/lock')));
});

const DATE = ['--date', '2024-03-01'];

test('a replay continues while its day file is replaced by an equal one', async (t) => {
  const [served, dir] = [await tempDir(t), await tempDir(t)];
  const source = await writeDayFile(served, 'trades', repeated(csvOf('trades', 20_000), 6));
  const service = await sandbox(t, { replayDir: served, exportedUntil: undefined });
  const env = envOf(service, dir);
  const args = ['replay', 'deribit', '-t', 'trade', ...DATE];
  const right = await succeeded(runHere(args, { env }));
  const path = join(dir, basename(source));
  const { ino } = await stat(path);

  const { child, printed, finished } = start(args, { env });
  cleanUp(t, () => killAndWait(child));
  await printed('\n');
  // It fills its buffers, and then stops.
  child.stdout?.pause();
  const again = ['download', 'deribit', '-t', 'trades', '-s', 'all', ...DATE, '--existing', 'overwrite'];
  const { stderr } = await succeeded(runHere(again, { env }));
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
  await succeeded(runHere(['verify'], { env }));
});
