import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { succeeded, tickhaul } from '../helpers/cli.js';
import { dayFileName, downloadFolder, FIRST, NO_ROWS } from '../verify/helpers.js';

const exec = promisify(execFile);

test('a lock file lists the downloadFolder files with the same bytes each time', async (t) => {
  const { dir, env, run } = await downloadFolder(t);
  const lock = join(dir, '..', 'tickhaul.lock');
  const { exitCode, stdout, stderr } = await tickhaul(['lock'], { env, cwd: join(dir, '..') });
  assert.deepEqual([exitCode, stdout], [0, '']);
  assert.match(stderr, /^tickhaul\.lock: 4 files, [\d.]+ kB\n$/);
  const reported = await tickhaul(['lock', '--json'], { env, cwd: join(dir, '..') });
  assert.equal((JSON.parse(reported.stdout) as { files: number }).files, 4);
  const text = await readFile(lock, 'utf8');
  assert.equal(text.split('\n').length, 6);
  assert.equal((await run('lock', '-o', '-')).stdout, text);
  assert.ok(!text.includes(env['TICKHAUL_API_KEY'] ?? '-'));
});

test('md5sum and sha256sum accept the lists', async (t) => {
  const { dir, run, verify } = await downloadFolder(t);
  const odd = ['A B', ' A', '*A', '#A', "A'B", 'ÄÖ€', '-A'].map((symbol) => dayFileName('01', symbol));
  for (const name of [...odd, `*${FIRST}`, ` ${FIRST}`, `#${FIRST}`])
    await writeFile(join(dir, name), NO_ROWS);
  assert.equal((await verify('--adopt')).exitCode, 0);
  for (const format of ['md5sum', 'sha256sum']) {
    const list = join(dir, '..', format);
    await succeeded(run('lock', '--format', format, '-o', list));
    const { stdout } = await exec(format, ['--strict', '-c', list], { cwd: dir });
    assert.equal(stdout.match(/: OK$/gm)?.length, 14);
  }
});

test('a folder that differs from its manifest is not locked', async (t) => {
  const { dir, run } = await downloadFolder(t);
  await rm(join(dir, FIRST));
  const { exitCode, stdout, stderr } = await run('lock', '-o', '-');
  assert.deepEqual([exitCode, stdout], [6, '']);
  assert.match(
    stderr,
    /1 file of the manifest missing or of another size, the first is .*verify with --repair/,
  );
  const nothing = await run('lock', '--dir', join(dir, 'nowhere'));
  assert.deepEqual([nothing.exitCode, nothing.stderr.split('\n').length], [2, 2]);
});
