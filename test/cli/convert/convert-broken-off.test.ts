import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { jsonLines, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import {
  convertForPeak,
  LARGE_ROWS,
  lastLine,
  names,
  parts,
  repeated,
  rowsIn,
  writeHugeFile,
  writeLargeFile,
} from './converting.js';

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  const declare = signal === 'SIGINT' ? usualTest : nightlyTest;
  declare(
    `${signal} during a conversion ends with code ${code} and a summary, without partial files`,
    async (t) => {
      const dir = await tempDir(t);
      const out = join(dir, 'out');
      await writeLargeFile(dir, 'A', 1);
      for (const symbol of ['B', 'C']) await writeHugeFile(dir, symbol);
      const { child, printed, finished } = start(['convert', dir, '-o', out, '-j', '2', '--json']);
      await printed('"event":"file"');
      child.kill(signal);
      const { exitCode, stdout, stderr } = await finished;
      assert.equal(exitCode, code, stderr);
      const summary = lastLine({ exitCode, stdout, stderr });
      assert.deepEqual([summary['converted'], summary['unfinished']], [1, 2]);
      assert.deepEqual(await names(out), ['deribit_incremental_book_L2_2024-03-01_A.parquet']);
    },
  );
}

test('a run after SIGKILL removes the part file and completes', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'out');
  await writeLargeFile(dir, 'A', 1);
  await writeHugeFile(dir, 'B');
  const { child, printed, finished } = start(['convert', dir, '-o', out, '-j', '2', '--json']);
  await printed('"event":"file"');
  await until('a part', async () => (await parts(out)).length > 0, finished);
  child.kill('SIGKILL');
  await finished;
  assert.equal((await parts(out)).length, 1);
  await writeLargeFile(dir, 'B', 2);
  const { exitCode, stderr, stdout } = await tickhaul(['convert', dir, '-o', out, '--json']);
  assert.equal(exitCode, 0, stderr);
  const summary = lastLine({ exitCode, stdout, stderr });
  assert.deepEqual([summary['skipped'], summary['converted']], [1, 1]);
  assert.equal((await names(out)).length, 2);
  assert.equal(await rowsIn(join(out, 'deribit_incremental_book_L2_2024-03-01_B.parquet')), 2 * LARGE_ROWS);
});

nightlyTest(
  'one file of all day files is absent after SIGKILL, and complete after the next run',
  async (t) => {
    const dir = await tempDir(t);
    const out = join(dir, 'out');
    const target = join(out, 'all.parquet');
    await writeLargeFile(dir, 'A', 1);
    await writeHugeFile(dir, 'B');
    const words = ['convert', dir, '-o', target, '--json'];
    const { child, finished } = start(words);
    await until('a part', async () => (await parts(dir)).length > 0, finished);
    child.kill('SIGKILL');
    await finished;
    assert.ok(!existsSync(target));
    await writeLargeFile(dir, 'B', 2);
    await succeeded(runHere(words));
    assert.deepEqual([await names(out), await rowsIn(target)], [['all.parquet'], 3 * LARGE_ROWS]);
  },
);

nightlyTest('two concurrent runs over one folder leave complete files and no part files', async (t) => {
  const dir = await tempDir(t);
  const symbols = ['A', 'B', 'C', 'D'];
  for (const symbol of symbols) await writeLargeFile(dir, symbol, 2);
  const both = await Promise.all([1, 2].map(() => tickhaul(['convert', dir, '-j', '1', '--json'])));
  for (const finished of both) {
    const codes = jsonLines(finished).flatMap(
      (line) => (line['error'] as { code: string } | undefined)?.code ?? [],
    );
    assert.ok(
      codes.every((code) => code === 'locked'),
      finished.stderr,
    );
    assert.equal(finished.exitCode, codes.length > 0 ? 9 : 0);
  }
  assert.deepEqual(await parts(dir), []);
  for (const symbol of symbols) {
    const path = join(dir, `deribit_incremental_book_L2_2024-03-01_${symbol}.parquet`);
    assert.equal(await rowsIn(path), 2 * LARGE_ROWS);
  }
});

test('a full disk ends the run with code 8, reported once, without partial files', async (t) => {
  const dir = await tempDir(t);
  const disk = await smallDisk(t, '300k');
  if (!disk) return;
  const { dir: out } = disk;
  for (const symbol of ['A', 'B', 'C', 'D', 'E']) await writeLargeFile(dir, symbol, 2);
  const finished = await tickhaul(['convert', dir, '-o', out, '-j', '1']);
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.equal(finished.stderr.match(/the disk is full/g)?.length, 1, finished.stderr);
  assert.match(finished.stderr, /1 failed, \d unfinished/);
  assert.deepEqual(await parts(out), []);
  disk.grow();
  await succeeded(runHere(['convert', dir, '-o', out, '--quiet']));
  assert.equal((await names(out)).length, 5);
});

test('a file beyond the file size limit ends with code 8', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 4);
  // In blocks of 512 or 1024 bytes, and less than the output.
  const command = ['sh', '-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath];
  for (const jobs of ['1', '2']) {
    const { exitCode, stderr } = await tickhaul(['convert', source, '-j', jobs], { command });
    assert.equal(exitCode, 8, stderr);
    assert.match(stderr, /\.parquet\.part: the file is larger than the limit/);
    assert.equal((await names(dir)).length, 1);
  }
  const stream = await tickhaul(['convert', source, '-o', '-'], {
    command: ['sh', '-c', `ulimit -f 100; exec "$0" "$@" > ${join(dir, 'rows')}`, process.execPath],
  });
  assert.equal(stream.exitCode, 8, stream.stderr);
});

nightlyTest('a file of 104 columns is converted in two threads below 400 MB', async (t) => {
  if (!existsSync('/proc/self/status')) {
    t.skip('no way to see the peak of a process here');
    return;
  }
  const dir = await tempDir(t);
  const bytes = repeated(csvOf('book_snapshot_25', 5000), 40);
  const source = await writeDayFile(dir, 'book_snapshot_25', bytes);
  const { peak, rows } = await convertForPeak([source, '-j', '2']);
  assert.equal(rows, 200_000);
  assert.ok(peak > 50_000 && peak < 400_000, `${peak} kB`);
});
