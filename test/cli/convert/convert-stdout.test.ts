import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';
import { writeLargeFile } from './converting.js';

test('-o - writes the rows of all files to stdout, and nothing else', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B']) await writeDayFile(dir, 'trades', csvOf('trades', 700), symbol);
  const files = await runHere(['convert', dir, '-f', 'ndjson', '--times', 'iso']);
  assert.equal(files.exitCode, 0, files.stderr);
  const written = await Promise.all(
    ['A', 'B'].map((symbol) => readFile(join(dir, `deribit_trades_2024-03-01_${symbol}.ndjson`), 'utf8')),
  );
  const stream = await tickhaul(['convert', dir, '-o', '-', '--times', 'iso']);
  assert.equal(stream.exitCode, 0, stream.stderr);
  assert.equal(stream.stdout, written.join(''));

  await writeDayFile(dir, 'trades', 'junk', 'AA');
  const broken = await tickhaul(['convert', dir, '-o', '-', '--times', 'iso']);
  assert.equal(broken.exitCode, 6);
  assert.equal(broken.stdout, written.join(''), 'the others go on');
  assert.match(broken.stderr, /AA\.csv\.gz: line 1/);
});

test('-o - of a large file equals the file, with one thread and with two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 4);
  const file = await tickhaul(['convert', source, '-f', 'ndjson', '-j', '2']);
  assert.equal(file.exitCode, 0, file.stderr);
  const script = `"$0" "$@" | cmp - ${source.replace('csv.gz', 'ndjson')}; echo "\${PIPESTATUS[*]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.equal(stdout, '0 0\n', stderr);
  }
});

test('a reader that leaves is a normal end of -o -, with one thread and with two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 20);
  const script = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.match(stdout, /^\{"exchange":"deribit".*\}\n0\n$/);
    assert.match(stderr, /^1 file planned: 1 to convert\nstdout: the reader closed it after [\d.]+ kB\n$/);
  }
});
