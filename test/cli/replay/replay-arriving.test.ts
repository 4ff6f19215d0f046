import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { envOf, start } from '../../helpers/cli.js';
import { gated, opening } from '../../helpers/gate.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const ARGS = ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', '--from', '2024-03-01', '--to', '2024-03-04'];
const THIRD_DAY = /\/2024\/03\/03\//;

test('a replay starts while later days are downloaded; a failed day ends it with its code, after all earlier days', async (t) => {
  const service = await sandbox(t);
  const whole = await runHere(ARGS, { env: envOf(service, await tempDir(t)) });
  assert.equal(whole.exitCode, 0, whole.stderr);
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
