import assert from 'node:assert/strict';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import { formatCoverage } from '../../src/cli/output/format-coverage.js';
import { textWidth } from '../../src/cli/output/text/width.js';
import { readCoverage } from '../../src/describe/coverage/read-coverage.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import {
  createFolder,
  createRecords,
  type RecordedSeries,
  writeFolder,
} from '../describe/coverage/folders.js';
import { failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const SERIES: readonly RecordedSeries[] = [
  { from: '2023-12-28', days: `pppp${'p'.repeat(31)}pe.gp` },
  { exchange: 'binance', dataType: 'quotes', symbol: 'BTCUSDT', from: '2024-02-28', days: 'ppp' },
];

const TABLES = `\
binance quotes
symbol   first day   last day    present  empty  missing  rows    size
BTCUSDT  2024-02-28  2024-03-01        3      0        0    30  3.0 kB

deribit trades
symbol         first day   last day    present  empty  missing  rows     size
BTC-PERPETUAL  2023-12-28  2024-02-05       37      1        2   370  38.0 kB

■ present   ○ empty (no rows)   × missing
`;

const TOTALS = `\
2 series of 2 exchanges, 400 rows, 41.0 kB
40 days present, 1 empty, 2 missing
recorded, but missing on disk: 1 day; tickhaul verify --repair downloads them again
`;

const CALENDARS = `
binance quotes BTCUSDT
2024 1   5    10   15   20   25   30        1   5    10   15   20   25   30
 Feb                            ■■      Mar ■

deribit trades BTC-PERPETUAL
2023 1   5    10   15   20   25   30
 Dec                            ■■■■
2024 1   5    10   15   20   25   30        1   5    10   15   20   25   30
 Jan ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■    Feb ■○××■

`;

test('prints tables, calendars and totals to a pipe without colours, in 80 columns', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, SERIES);
  const { exitCode, stdout, stderr } = await runHere(['coverage', dir]);
  assert.equal(stdout, TABLES + CALENDARS + TOTALS);
  assert.equal(stderr, '');
  assert.equal(exitCode, 0);
  const narrow = await runHere(['coverage', '-s', 'btc-*', '--from', '2024-02-03', '--to', '2024-02-07'], {
    env: { TICKHAUL_DIR: dir },
  });
  assert.match(narrow.stdout, /\n2024 1 .*\n Feb {3}××■×\n/);
});

/** The text in a colour of the terminal. */
function paint(text: string, code: number): string {
  return `\u001b[${code}m${text}\u001b[39m`;
}

test('colours distinguish days too, if they are enabled', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, SERIES);
  const words = ['coverage', dir, '-s', 'btc-perpetual', '--from', '2024-02-01'];
  const { stdout } = await runHere(words, { env: { FORCE_COLOR: '1' } });
  const cells = [paint('■', 32), paint('○', 33), paint('××', 91), paint('■', 32)].join('');
  assert.ok(
    stdout.includes(` Feb ${cells}
`),
    stdout,
  );
  const plain = await runHere(words, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
  assert.equal(plain.stdout.includes('\u001b'), false);
});

test('no line of months is longer than the screen, at any width', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [
    { symbol: 'A-VERY-LONG-SYMBOL-20240329', from: '2022-06-01', days: 'p'.repeat(600) },
  ]);
  const coverage = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: assert.fail,
    signal: new AbortController().signal,
  });
  for (const columns of [40, 80, 100, 120, 160, 200, 240]) {
    const options = { columns, isTerminal: true, chalk: new Chalk({ level: 0 }), all: false };
    const lines = [...formatCoverage(coverage, options)].join('').split('\n');
    for (const line of lines) assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
    assert.equal(lines.join('').split('■').length - 2, 600);
  }
});

test('of many series, those with the most missing days are shown within a limit, and the rest is counted', async (t) => {
  const dir = await tempDir(t);
  const many = Array.from({ length: 60 }, (_, i) => ({
    symbol: `S${i}`,
    from: '2024-01-01',
    days: `p${'.'.repeat(i)}p`,
  }));
  await createFolder(dir, many);
  const { stdout } = await runHere(['coverage', dir]);
  assert.match(stdout, /^exchange +type +symbols.*\nderibit +trades +60 +120 +0 +1,770 /);
  assert.match(stdout, /most missing days first\n\nderibit trades S59\n/);
  assert.match(stdout, /\n40 more series: choose with .* -s /);
  assert.equal(stdout.match(/^deribit trades S\d+$/gm)?.length, 20);
  assert.ok(stdout.split('\n').length < 230);
  const all = await runHere(['coverage', dir, '--all']);
  assert.equal(all.stdout.match(/^deribit trades S\d+$/gm)?.length, 60);
  assert.equal(all.stdout.match(/^S\d+ +2024/gm)?.length, 60);
});

test('years without data share one line', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ from: '2023-12-31', days: 'p' }]);
  const { stdout } = await runHere(['coverage', dir, '--from', '1990-01-01']);
  assert.match(stdout, /\n1990 to 2022 {2}no data\n2023 1 /);
});

test('JSON lists the days that exist and those that are missing after a download', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const download = (...days: string[]) =>
    runHere(['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...days], { env });
  await download('--date', '2024-03-01');
  await download('--date', '2024-03-04', '--convert', 'parquet', '--no-keep-csv');
  const { stdout } = await succeeded(runHere(['coverage', '--json'], { env }));
  const { totals, series } = JSON.parse(stdout) as {
    totals: Record<string, number>;
    series: Record<string, unknown>[];
  };
  assert.equal(series.length, 1);
  const [{ rows, bytes, ...rest } = {}] = series;
  assert.deepEqual(rest, {
    exchange: 'deribit',
    dataType: 'trades',
    symbol: 'BTC-PERPETUAL',
    from: '2024-03-01',
    to: '2024-03-05',
    present: 2,
    empty: 0,
    missing: 2,
    gone: 0,
    outdated: 0,
    emptyDays: [],
    missingDays: [{ from: '2024-03-02', to: '2024-03-04' }],
  });
  assert.deepEqual(totals, {
    exchanges: 1,
    series: 1,
    present: 2,
    empty: 0,
    missing: 2,
    gone: 0,
    outdated: 0,
    rows,
    bytes,
  });
  assert.ok(Number(rows) > 0 && Number(bytes) > 0);
});

test('a page replaces an earlier page, and no other file', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, SERIES);
  const page = join(dir, 'page.html');
  const make = (...more: string[]) => runHere(['coverage', dir, '--html', ...more]);
  const first = await make(page);
  assert.equal(first.stdout, `${TOTALS}${page}: written\n`);
  const before = await readFile(page, 'utf8');
  assert.equal((await make(page, '--quiet')).exitCode, 0);
  assert.equal((await readFile(page, 'utf8')).length, before.length);

  const other = join(dir, 'notes.html');
  await writeFile(other, '<p>mine</p>');
  await symlink(other, join(dir, 'link.html'));
  for (const path of [other, join(dir, 'link.html')]) {
    const { exitCode, stderr } = await make(path);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /html: the file exists and is not a report of tickhaul; choose another name/);
  }
  assert.equal(await readFile(other, 'utf8'), '<p>mine</p>');
  assert.equal((await make(dir)).exitCode, 2);

  const printed = await make('-');
  assert.match(printed.stdout, /^<!doctype html>[\s\S]*<\/html>\n$/);
  assert.equal((await make('-', '--json')).exitCode, 2);
});

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['--from', '2024-03-02', '--to', '2024-03-02'], /must be after --from/],
  [['--from', '1800-01-01', '--to', '2024-01-01'], /span \d+ days, at most 36500/],
  [['--from', '2024-02-30'], /^tickhaul: --from: "2024-02-30"/],
  [['-s', '@/nonexistent/list'], /cannot read the file/],
];
for (const [words, message] of wrong) {
  test(`coverage ${words.join(' ')} is a usage error`, async () => {
    await failedWith(runHere(['coverage', ...words]), 2, message);
  });
}

test('accepts the folder with -d and as an argument, and refuses -o', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, SERIES);
  const [flag, argument] = [await runHere(['coverage', '-d', dir]), await runHere(['coverage', dir])];
  assert.equal(flag.exitCode, 0, flag.stderr);
  assert.equal(flag.stdout, argument.stdout);
  await failedWith(runHere(['coverage', dir, '-d', dir]), 2, /<folder> and --dir both set the folder/);
  for (const command of ['coverage', 'audit', 'verify']) {
    const { exitCode, stderr } = await runHere([command, '-o', dir]);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /-o names what is written; the folder that is read is --dir/);
  }
});

test('a folder inside a download folder selects the files below it', async (t) => {
  const dir = await tempDir(t);
  const [first, second] = createRecords({ from: '2024-03-01', days: 'pp' });
  assert.ok(first && second);
  const records = [
    { ...first, path: `a/b/${first.path}` },
    { ...second, path: `ab/${second.path}` },
  ];
  const paths = records.map(({ path }) => path);
  await writeFolder(dir, records, paths);
  for (const [folder, present] of [
    ['a', 1],
    ['a/b/', 1],
    ['', 2],
  ] as const) {
    const { stdout, stderr } = await runHere(['coverage', join(dir, folder), '--json']);
    assert.equal(JSON.parse(stdout).totals.present, present, stderr);
  }
  const { exitCode, stderr } = await runHere(['coverage', join(dir, 'b')]);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /b: the manifest has no records of files in this folder/);
});
