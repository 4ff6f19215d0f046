import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Finished, start, tickhaul } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';

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
  const verified = await tickhaul(['verify', '--dir', dir, '--adopt']);
  assert.equal(verified.exitCode, 0, verified.stderr);
  const reported = verified.stderr + verified.stdout;
  assert.ok(reported.includes(`unknown \uFFFD_${NAME}: ${SAYS}`), reported);
  assert.ok(reported.includes(`unknown \uFFFDt\uFFFD: ${SAYS}`), reported);
  assert.match(reported, /1 verified/);
  const converted = await tickhaul(['convert', dir]);
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
  const { exitCode, stderr } = await tickhaul(['convert', path]);
  assert.equal(exitCode, 0, stderr);
  const { stderr: reported } = await tickhaul(['verify', '--dir', dir]);
  assert.ok(!reported.includes(SAYS), reported);
});
