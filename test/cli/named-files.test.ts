import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Finished, failedWith, start, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
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
    await failedWith(
      runHere(['key', '--api-key-file', path]),
      2,
      /^tickhaul: --api-key-file: ".*" is larger than 65\.5 kB; check that it is the right file\n$/,
    );
  }
});

test('a pipe or a device is not a day file', async (t) => {
  const { dir } = await silentPipe(t);
  const name = join(dir, 'binance_trades_2024-03-01_BTCUSDT.csv.gz');
  execFileSync('mkfifo', [name]);
  await failedWith(runHere(['convert', name]), 8, /a pipe or a device instead of a regular file/);
  await failedWith(runHere(['inspect', name]), 2, /not a file; specify one file to inspect/);
});

const NAME = 'binance_trades_2024-03-01_BTCUSDT.csv.gz';
const TEXT =
  'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nbinance,BTCUSDT,1709251200000000,1709251200000100,7,buy,61000.5,0.25\n';
const SAYS = 'its name is not valid UTF-8; rename it';

/** Two day files and a folder with a third one; the folder and a file have Latin-1 names. */
async function folderOfNames(t: TestContext): Promise<string> {
  const dir = await tempDir(t);
  const latin = (name: string): Buffer =>
    Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name, 'latin1')]);
  const bytes = gzipSync(TEXT);
  writeFileSync(join(dir, NAME), bytes);
  writeFileSync(latin(`é_${NAME}`), bytes);
  mkdirSync(latin('été'));
  writeFileSync(latin(`été/${NAME}`), bytes);
  return dir;
}

/** Runs the command by a shell, which passes the bytes: Node's arguments are strings. */
function byShell(script: string, cwd: string): Promise<Finished> {
  const command = ['sh', '-c', `${script}\nexec "$0" "$@" "$name"`, process.execPath];
  return start([], { cwd, command: [...command] }).finished;
}

test('reports names in a folder that are not UTF-8, and processes the others', async (t) => {
  const dir = await folderOfNames(t);
  const verified = await succeeded(runHere(['verify', '--dir', dir, '--adopt']));
  const reported = verified.stderr + verified.stdout;
  assert.ok(reported.includes(`unknown \uFFFD_${NAME}: ${SAYS}`), reported);
  assert.ok(reported.includes(`unknown \uFFFDt\uFFFD: ${SAYS}`), reported);
  assert.match(reported, /1 verified/);
  const converted = await runHere(['convert', dir]);
  assert.equal(converted.exitCode, 8, converted.stderr);
  assert.equal(converted.stderr.split(SAYS).length - 1, 2, converted.stderr);
  assert.match(converted.stderr, /1 converted/);
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.endsWith('.parquet')),
    [NAME.replace('.csv.gz', '.parquet')],
  );
});

for (const command of ['convert', 'inspect', 'verify']) {
  test(`${command} reports a path that is not UTF-8`, async (t) => {
    const dir = await folderOfNames(t);
    const script = `name=$(printf '%s/\\351_%s' '${dir}' '${NAME}')\nset -- "$@" ${command}`;
    const { exitCode, stderr } = await byShell(script, dir);
    assert.equal(exitCode, 2, stderr);
    assert.ok(stderr.includes(`\uFFFD_${NAME}: ${SAYS}\n`), stderr);
  });
}

test('a name with a replacement character is a valid name', async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, `\uFFFD_${NAME}`);
  writeFileSync(path, gzipSync(TEXT));
  await succeeded(runHere(['convert', path]));
  const { stderr: reported } = await runHere(['verify', '--dir', dir]);
  assert.ok(!reported.includes(SAYS), reported);
});
