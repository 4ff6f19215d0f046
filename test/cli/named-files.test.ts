import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { start, tickhaul } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';

/** A named pipe without a writer. */
async function silentPipe(t: TestContext): Promise<{ readonly dir: string; readonly pipe: string }> {
  const dir = await tempDir(t);
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return { dir, pipe };
}

const DOWNLOAD = ['download', 'deribit', '-t', 'trades', '--date', '2024-03-01'];

for (const words of [
  ['key', '--api-key-file', 'PIPE'],
  ['status', 'deribit', '--config', 'PIPE'],
  ['download', '--frozen', 'PIPE'],
  ['download', '--from-file', 'PIPE'],
  [...DOWNLOAD, '-s', '@PIPE'],
]) {
  test(`a pipe without a writer can be interrupted: ${words.join(' ')}`, async (t) => {
    const { dir, pipe } = await silentPipe(t);
    const env = { TICKHAUL_API_URL: 'http://127.0.0.1:1', TICKHAUL_DIR: dir };
    const { child, finished } = start(
      words.map((word) => word.replace('PIPE', pipe)),
      { env, cwd: dir },
    );
    // Opening the write end returns after the command has opened the read end.
    const writer = createWriteStream(pipe);
    await once(writer, 'open');
    child.kill('SIGTERM');
    assert.equal((await finished).exitCode, 143);
    writer.destroy();
  });
}

test('reads a pipe with a writer to its end', async (t) => {
  const { dir, pipe } = await silentPipe(t);
  const { finished } = start(['key', '--api-key-file', pipe], { cwd: dir });
  createWriteStream(pipe).end('two words');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 2);
  assert.match(stderr, /the API key contains a blank/);
});

test('refuses a key file larger than any key, even an endless one', async (t) => {
  const dir = await tempDir(t);
  const large = join(dir, 'large');
  await writeFile(large, 'k'.repeat(2_700_000), { mode: 0o600 });
  for (const path of [large, '/dev/zero']) {
    const { exitCode, stderr } = await tickhaul(['key', '--api-key-file', path]);
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /^tickhaul: --api-key-file: ".*" is larger than 65\.5 kB; check that it is the right file\n$/,
    );
  }
});

test('a pipe or a device is not a day file', async (t) => {
  const { dir } = await silentPipe(t);
  const name = join(dir, 'binance_trades_2024-03-01_BTCUSDT.csv.gz');
  execFileSync('mkfifo', [name]);
  const converted = await tickhaul(['convert', name], { cwd: dir });
  assert.equal(converted.exitCode, 8);
  assert.match(converted.stderr, /a pipe or a device instead of a regular file/);
  const inspected = await tickhaul(['inspect', name], { cwd: dir });
  assert.equal(inspected.exitCode, 2);
  assert.match(inspected.stderr, /not a file; specify one file to inspect/);
});
