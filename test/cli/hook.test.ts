import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHook } from '../../src/cli/notify/hook.js';
import { tempDir } from '../helpers/temp.js';

const cli = { env: { PATH: process.env['PATH'] } };

test('a command gets the text on stdin; one that does not read it is fine', async (t) => {
  const path = join(await tempDir(t), 'heard');
  await runHook(`cat > '${path}'`, 'x'.repeat(1_000_000), cli);
  assert.equal((await readFile(path)).length, 1_000_000);
  await runHook('exec 0<&-; true', 'x'.repeat(1_000_000), cli);
});

test('a command that fails or hangs is told in one line, and what it started ends with it', async (t) => {
  await assert.rejects(
    runHook('echo one >&2; echo two >&2; exit 4', '', cli),
    /^Error: ended with code 4: two$/,
  );
  await assert.rejects(runHook('kill -TERM $$', '', cli), /^Error: ended by SIGTERM$/);
  const path = join(await tempDir(t), 'pid');
  const hung = `sleep 600 & echo $! > '${path}'; wait`;
  await assert.rejects(runHook(hung, '', cli, 300), /^Error: took longer than 0\.3s and was ended$/);
  const pid = Number(await readFile(path, 'utf8'));
  assert.ok(pid > 0);
  const isGone = async (): Promise<boolean> =>
    readFile(`/proc/${pid}/stat`, 'utf8').then(
      (stat) => / Z /.test(stat),
      () => true,
    );
  while (!(await isGone()));
});

test('what it leaves running does not hold the run up', async () => {
  await runHook('sleep 600 >&2 & kill -KILL $!', '', cli);
});
