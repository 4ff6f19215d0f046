import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { envOf, jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { resultsOf, SERIES } from './exporting.js';

const DAYS = [1, 2, 3].map((day) => `deribit_2024-03-0${day}_BTC-PERPETUAL.npz`);

test('download --export exports all days of its series, and each of them once', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), dir);
  const out = join(dir, 'npz');
  const download = async (from: number, to: number) => {
    const days = ['--from', `2024-03-0${from}`, '--to', `2024-03-0${to}`];
    const exporting = ['--export', 'hftbacktest', '--export-dir', out, '--json'];
    return runHere(['download', ...SERIES, ...days, ...exporting], { env });
  };
  const first = await download(1, 3);
  assert.equal(first.exitCode, 0, first.stderr);
  assert.deepEqual(jsonLines(first).filter(({ status }) => status === 'converted').length, 2);
  const summary = jsonLines(first).at(-1);
  assert.deepEqual([summary?.['downloaded'], summary?.['converted']], [4, 2]);
  const [results] = resultsOf(await download(3, 4));
  const exports = results.filter((result) => result.endsWith('.npz'));
  assert.deepEqual(exports, [`converted ${DAYS[2]}`, `skipped ${DAYS[0]}`, `skipped ${DAYS[1]}`]);
  assert.deepEqual(await namesIn(out), DAYS);
});

test('sync exports the series of each job with export, relative to the config file', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), join(dir, 'data'));
  const config = join(dir, 'tickhaul.yaml');
  await writeFile(
    config,
    [
      'jobs:',
      '  - name: books',
      '    exchange: deribit',
      '    types: [trades, incremental_book_L2]',
      '    symbols: [BTC-PERPETUAL]',
      '    from: 2024-03-01',
      '    to: 2024-03-03',
      '    export: hftbacktest',
      '    exportDir: npz',
      '  - name: quotes',
      '    exchange: deribit',
      '    types: [quotes]',
      '    symbols: [BTC-PERPETUAL]',
      '    from: 2024-03-01',
      '    to: 2024-03-02',
    ].join('\n'),
  );
  for (const status of ['converted', 'skipped']) {
    const finished = await runHere(['sync', '--config', config, '--json'], { env });
    assert.equal(finished.exitCode, 0, finished.stderr);
    const exported = jsonLines(finished).filter(({ path }) => String(path).endsWith('.npz'));
    assert.deepEqual(
      exported.map((line) => [line['job'], line['status']]),
      [
        ['books', status],
        ['books', status],
      ],
    );
  }
  assert.deepEqual(await namesIn(join(dir, 'npz')), DAYS.slice(0, 2));
});

test('flags of an export need it, and the CSV files', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), dir);
  const base = ['download', ...SERIES, '--date', '2024-03-01'];
  for (const [words, message] of [
    [['--export-dir', 'npz'], /--export-dir needs --export/],
    [['--catalog', 'rust'], /--catalog needs --export/],
    [['--export', 'hftbacktest', '--catalog', 'rust'], /--catalog has no effect on hftbacktest/],
    [
      ['--export', 'hftbacktest', '--convert', 'parquet', '--no-keep-csv'],
      /--no-keep-csv and --export: an export reads the CSV files/,
    ],
  ] as const) {
    const { exitCode, stderr } = await runHere([...base, ...words], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, message);
  }
  assert.deepEqual(await namesIn(dir), []);
});
