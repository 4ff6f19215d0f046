import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { envOf, type Finished, failedWith, type JsonLine, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { arraysIn, resultsOf, SERIES } from './exporting.js';

const DAYS = [1, 2, 3].map((day) => `deribit_2024-03-0${day}_BTC-PERPETUAL.npz`);

test('download --export exports all days of its series, and each of them once', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const out = join(dir, 'npz');
  const download = async (from: number, to: number) => {
    const days = ['--from', `2024-03-0${from}`, '--to', `2024-03-0${to}`];
    const exporting = ['--export', 'hftbacktest', '--export-dir', out, '--json'];
    return runHere(['download', ...SERIES, ...days, ...exporting], { env });
  };
  const first = await succeeded(download(1, 3));
  assert.deepEqual(jsonLines(first).filter(({ status }) => status === 'converted').length, 2);
  const summary = jsonLines(first).at(-1);
  assert.deepEqual([summary?.['downloaded'], summary?.['converted']], [4, 2]);
  const files = jsonLines(first).filter(({ event }) => event === 'file');
  assert.equal(
    summary?.['bytes'],
    files.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  );
  const [results] = resultsOf(await download(3, 4));
  const exports = results.filter((result) => result.endsWith('.npz'));
  assert.deepEqual(exports, [`converted ${DAYS[2]}`, `skipped ${DAYS[0]}`, `skipped ${DAYS[1]}`]);
  assert.deepEqual(await arraysIn(out), DAYS);
});

test('days that a run only verifies are exported too', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), join(dir, 'data'));
  const select = ['download', ...SERIES, '--date', '2024-03-01'];
  await runHere(select, { env });
  const exporting = ['--export', 'hftbacktest', '--export-dir', join(dir, 'npz')];
  const { exitCode, stderr } = await runHere([...select, '--existing', 'verify', ...exporting], { env });
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(await arraysIn(join(dir, 'npz')), DAYS.slice(0, 1));

  // The second job finds what the first one has just downloaded.
  const jobs = ['first', 'second'];
  const config = await writeJobs(
    dir,
    Object.fromEntries(
      jobs.map((name) => [name, ['symbols: [BTC-PERPETUAL]', 'export: hftbacktest', `exportDir: ${name}`]]),
    ),
  );
  const fresh = envOf(await sandbox(t), join(dir, 'fresh'));
  const synced = await runHere(['sync', '--config', config], { env: fresh });
  assert.equal(synced.exitCode, 0, synced.stderr);
  for (const name of jobs) assert.deepEqual(await arraysIn(join(dir, name)), DAYS.slice(0, 1), name);
});

test('an interrupt between the last download and the exports or verdicts is no success', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), join(dir, 'data'));
  const select = ['download', ...SERIES, '--date', '2024-03-01', '--existing', 'overwrite', '--json'];
  for (const next of [['--export', 'hftbacktest', '--export-dir', join(dir, 'npz')], ['--audit']]) {
    const stop = new AbortController();
    let files = 0;
    const onStdout = (text: string): void => {
      if (text.includes('"event":"file"') && ++files === 2)
        stop.abort(new TickhaulError('interrupted', 'interrupted by SIGINT'));
    };
    const finished = await runHere([...select, ...next], { env, signal: stop.signal, onStdout });
    const { error, downloaded } = summaryOf(finished);
    assert.deepEqual([finished.exitCode, error?.code, downloaded], [130, 'interrupted', 2], next[0]);
  }
});

test('a failed export is no failed day file for --failed-to', async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await sandbox(t), join(dir, 'data'));
  const [list, out] = [join(dir, 'failed'), join(dir, 'npz')];
  await mkdir(join(out, DAYS[0] ?? ''), { recursive: true });
  const exporting = ['--export', 'hftbacktest', '--export-dir', out, '--failed-to', list];
  const { exitCode } = await runHere(['download', ...SERIES, '--date', '2024-03-01', ...exporting], { env });
  assert.equal(exitCode, 8);
  assert.equal(await readFile(list, 'utf8'), '');
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
    const finished = await succeeded(runHere(['sync', '--config', config, '--json'], { env }));
    const exported = jsonLines(finished).filter(({ path }) => String(path).endsWith('.npz'));
    assert.deepEqual(
      exported.map((line) => [line['job'], line['status']]),
      [
        ['books', status],
        ['books', status],
      ],
    );
    const { scripts, jobs } = summaryOf(finished);
    const path = join(dir, 'npz', 'run_hftbacktest.py');
    assert.deepEqual(scripts, [{ path, command: `python3 ${path}` }]);
    assert.deepEqual(
      jobs.map((job) => job['scripts']),
      [scripts, undefined],
    );
  }
  assert.deepEqual(await arraysIn(join(dir, 'npz')), DAYS.slice(0, 2));
});

/** A config file with jobs for one day of deribit's trades and books. */
async function writeJobs(dir: string, jobs: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const config = join(dir, 'tickhaul.yaml');
  const lines = Object.entries(jobs).flatMap(([name, settings]) =>
    [
      `- name: ${name}`,
      '  exchange: deribit',
      '  types: [trades, incremental_book_L2]',
      '  date: 2024-03-01',
      ...settings.map((setting) => `  ${setting}`),
    ].map((line) => `  ${line}`),
  );
  await writeFile(config, ['jobs:', ...lines].join('\n'));
  return config;
}

interface Summary extends JsonLine {
  readonly downloaded?: number;
  readonly error?: { readonly code: string };
}

/** The last line of `--json`. */
function summaryOf(finished: Finished): Summary & { readonly jobs: readonly Summary[] } {
  return jsonLines(finished).at(-1) as ReturnType<typeof summaryOf>;
}

const DAY_FILE = 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';

test('an export that cannot start fails its job only, and the summary has all counts', async (t) => {
  const dir = await tempDir(t);
  const data = join(dir, 'data');
  const env = envOf(await sandbox(t), data);
  const config = await writeJobs(dir, {
    first: ['symbols: [BTC-PERPETUAL]', 'export: hftbacktest', 'exportDir: npz'],
    second: ['symbols: [ETH-PERPETUAL]', 'export: hftbacktest', 'exportDir: npz'],
  });
  const sync = (...words: string[]) => runHere(['sync', '--config', config, ...words], { env });
  // A second file of the same day is a usage error of the export.
  await mkdir(join(data, 'copy'), { recursive: true });
  await writeFile(join(data, 'copy', DAY_FILE), '');
  const json = await failedWith(sync('--json'), 2, /several files have its rows/);
  assert.deepEqual(await arraysIn(join(dir, 'npz')), ['deribit_2024-03-01_ETH-PERPETUAL.npz']);
  const { error, ...counts } = summaryOf(json);
  assert.deepEqual(
    [counts['exitCode'], counts['downloaded'], counts['converted'], error],
    [2, 4, 1, undefined],
  );
  assert.deepEqual(
    counts.jobs.map((job) => [job['exitCode'], job['downloaded'], job['converted'], job.error?.code]),
    [
      [2, 2, undefined, 'usage'],
      [0, 2, 1, undefined],
    ],
  );
  await failedWith(sync(), 2, /first: 2 skipped in .*\nsecond: 3 skipped in .*\n5 skipped in /);

  // The other job fails for another reason.
  await rm(join(dir, 'npz'), { recursive: true });
  const path = join(data, DAY_FILE.replace('BTC', 'ETH'));
  await writeFile(path, Buffer.alloc((await stat(path)).size));
  const mixed = await sync('--json');
  assert.equal(mixed.exitCode, 3, mixed.stderr);
  assert.deepEqual(
    summaryOf(mixed).jobs.map((job) => job['exitCode']),
    [2, 6],
  );
});

test('download --export keeps the counts of the downloads if its export cannot start', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  await mkdir(join(dir, 'copy'));
  await writeFile(join(dir, 'copy', DAY_FILE), '');
  const words = [
    'download',
    ...SERIES,
    '--date',
    '2024-03-01',
    '--export',
    'hftbacktest',
    '--export-dir',
    join(dir, 'npz'),
    '--json',
  ];
  const finished = await runHere(words, { env });
  assert.equal(finished.exitCode, 2, finished.stderr);
  const summary = summaryOf(finished);
  assert.equal(summary['downloaded'], 2);
  assert.ok(Number(summary['bytes']) > 0);
  assert.equal(summary.error?.code, 'usage');
});

test('an export that contradicts the selection is refused before a download', async (t) => {
  const dir = await tempDir(t);
  const data = join(dir, 'data');
  const env = envOf(await sandbox(t), data);
  const cases = [
    [
      ['trades', 'BTC-PERPETUAL,ETH-PERPETUAL', '--export', 'nautilus', '--instrument-id', 'A.B'],
      /--instrument-id: requires one symbol, not 2 symbols/,
    ],
    [
      ['trades', 'BTC-PERPETUAL,ETH-PERPETUAL', '--export', 'freqtrade', '--pair', 'A/B'],
      /--pair names one symbol, and deribit ETH-PERPETUAL is another one/,
    ],
    [
      ['book_snapshot_5,book_snapshot_25', 'BTC-PERPETUAL', '--export', 'nautilus'],
      /book_snapshot_25 and book_snapshot_5 have the same place in a catalog/,
    ],
    [['trades', 'OPTIONS', '--export', 'freqtrade'], /deribit OPTIONS: options have no pairs/],
  ] as const;
  for (const [[types, symbols, ...exporting], message] of cases) {
    const words = ['download', 'deribit', '-t', types, '-s', symbols, '--date', '2024-03-01', ...exporting];
    for (const mode of [['--dry-run'], ['--export-dir', join(dir, 'out')]]) {
      await failedWith(runHere([...words, ...mode], { env }), 2, message);
    }
  }
  const list = join(dir, 'list.txt');
  const listedFiles = ['BTC-PERPETUAL', 'ETH-PERPETUAL'].map((symbol) =>
    JSON.stringify({ exchange: 'deribit', dataType: 'trades', symbol, date: '2024-03-01' }),
  );
  await writeFile(list, listedFiles.join('\n'));
  const words = ['download', '--from-file', list, '--export', 'freqtrade', '--pair', 'A/B'];
  const { exitCode, stderr } = await runHere(words, { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /--pair names one symbol, and deribit ETH-PERPETUAL is another one/);
  const config = await writeJobs(dir, {
    right: ['symbols: [BTC-PERPETUAL]'],
    wrong: ['symbols: [BTC-PERPETUAL, ETH-PERPETUAL]', 'export: nautilus', 'instrumentId: A.B'],
  });
  for (const mode of [[], ['--dry-run']]) {
    const { exitCode, stderr } = await runHere(['sync', '--config', config, ...mode], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /yaml:7: job "wrong": instrumentId: requires one symbol, not 2 symbols/);
  }
  assert.deepEqual(
    (await namesIn(data)).filter((name) => name.endsWith('.gz')),
    [],
  );
});

test('flags of an export need it, and the CSV files', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
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
    await failedWith(runHere([...base, ...words], { env }), 2, message);
  }
  assert.deepEqual(await namesIn(dir), []);
});

test('an export that reads none of the types is refused before the download', async (t) => {
  const dir = await tempDir(t);
  const service = await sandbox(t);
  const env = envOf(service, join(dir, 'data'));
  const exporting = ['--date', '2024-03-01', '--export', 'freqtrade', '--export-dir', join(dir, 'out')];
  const refused = await runHere(
    ['download', 'deribit', '-t', 'quotes', '-s', 'BTC-PERPETUAL', ...exporting],
    { env },
  );
  assert.equal(refused.exitCode, 2);
  assert.match(
    refused.stderr.replaceAll(/\s+/g, ' '),
    /--export freqtrade: it reads trades, derivative_ticker, and not quotes; add one of its types with -t, or omit --export/,
  );
  assert.ok(!service.requests.some(({ url }) => url.includes('.csv.gz')));
});
