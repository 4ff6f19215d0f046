import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failedWith, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import {
  dayFileName,
  FIRST,
  FOURTH,
  type Folder,
  folderOf,
  listNames,
  SECOND,
  SELECTION,
  THIRD,
} from '../../verify/helpers.js';

const ALL = [FIRST, SECOND, THIRD, FOURTH];

async function emptyFolder(t: TestContext, faults = {}): Promise<Folder> {
  return folderOf(await sandbox(t, { faults }), join(await tempDir(t), 'data'));
}

const asked = ({ service }: Folder): number =>
  service.requests.filter(({ host }) => host === 'datasets').length;

test('two machines share a plan, and together download all of it', async (t) => {
  const folder = await emptyFolder(t);
  const plan = (await folder.run('plan', ...SELECTION, '--json')).stdout.trim().split('\n');
  const list = join(folder.dir, '..', 'list.jsonl');
  // Split between arbitrary lines, including lines that name no file.
  await writeFile(list, plan.slice(0, 3).join('\n'));
  await succeeded(folder.run('download', '--from-file', list));
  assert.equal((await listNames(folder.dir)).length, 2);
  const other = folderOf(folder.service, join(await tempDir(t), 'data'));
  const rest = await succeeded(
    runHere(['download', '--from-file', '-', '--json'], {
      env: other.env,
      stdin: plan.slice(3).join('\n'),
    }),
  );
  assert.equal(jsonLines(rest)[0]?.['download'], 2);
  assert.deepEqual([...(await listNames(folder.dir)), ...(await listNames(other.dir))].sort(), ALL);
  const again = jsonLines(await folder.run('download', '--from-file', list, '--json'));
  assert.deepEqual([again.at(-1)?.['skipped'], asked(folder)], [2, 4]);
});

test('shards of one list download each of its files once', async (t) => {
  const folder = await emptyFolder(t);
  const { stdout: stdin } = await folder.run('plan', ...SELECTION, '--json');
  const shards = ['0/2', '1/2'].map((shard) =>
    runHere(['download', '--from-file', '-', '--shard', shard, '--json'], { env: folder.env, stdin }),
  );
  const downloaded = (await Promise.all(shards)).map((ended) =>
    Number(jsonLines(ended).at(-1)?.['downloaded']),
  );
  assert.deepEqual([downloaded[0], downloaded[1], asked(folder)], [2, 2, 4]);
  assert.deepEqual(await listNames(folder.dir), ALL);
});

test('the list of failed files is all that the next run needs', async (t) => {
  const folder = await emptyFolder(t, { 'bit-flip': 0.5 });
  const list = join(folder.dir, '..', 'failed.jsonl');
  const failing = await folder.run('download', ...SELECTION, '--retries', '0', '--failed-to', list);
  assert.equal(failing.exitCode, 6);
  const failed = jsonLines({ ...failing, stdout: await readFile(list, 'utf8') });
  assert.ok(failed.length > 0 && failed.length < 4, `${failed.length} failed`);
  assert.deepEqual(
    failed.map(({ status }) => status),
    failed.map(() => 'failed'),
  );
  const healthy = folderOf(await sandbox(t), folder.dir);
  await succeeded(healthy.run('download', '--from-file', list, '--failed-to', list));
  assert.equal(asked(healthy), failed.length);
  assert.deepEqual(await listNames(folder.dir), ALL);
  assert.equal(await readFile(list, 'utf8'), '');
});

test('a list keeps the files that an aborted run did not reach', async (t) => {
  const folder = await emptyFolder(t);
  const list = join(folder.dir, '..', 'list.jsonl');
  await writeFile(list, (await folder.run('plan', ...SELECTION, '--json')).stdout);
  const flags = ['download', '--from-file', list, '--failed-to', list, '--json'];
  const refused = await runHere(flags, { env: { ...folder.env, TICKHAUL_API_KEY: 'not-the-right-one' } });
  assert.equal(refused.exitCode, 4);
  const kept = jsonLines({ ...refused, stdout: await readFile(list, 'utf8') });
  assert.deepEqual(kept.map(({ path }) => path).sort(), [...ALL].sort());
  assert.deepEqual(new Set(kept.map(({ status }) => status)), new Set(['failed', 'download']));
  const healed = await folder.run(...flags);
  assert.deepEqual([healed.exitCode, await readFile(list, 'utf8')], [0, '']);
  assert.deepEqual(await listNames(folder.dir), ALL);
});

test('an unwritable list ends the run before it starts', async (t) => {
  const folder = await emptyFolder(t);
  const path = join(folder.dir, 'nowhere', 'failed.jsonl');
  await failedWith(folder.run('download', ...SELECTION, '--failed-to', path), 8, /failed\.jsonl/);
  assert.equal(asked(folder), 0);
});

const LINE = {
  exchange: 'binance-futures',
  dataType: 'trades',
  symbol: 'BTCUSDT',
  date: '2024-03-02',
};

test('pending and unavailable files of a list, and those without access, are not requested', async (t) => {
  const folder = await emptyFolder(t);
  const lines = [
    { ...LINE, status: 'pending', date: '2024-03-20' },
    { ...LINE, status: 'unavailable', date: '2019-01-01' },
    LINE,
    { ...LINE, date: '2024-03-01', path: 'by/hand.csv.gz' },
    { ...LINE, date: '2024-03-01', path: 'by/hand.csv.gz' },
  ];
  const list = join(folder.dir, '..', 'list.jsonl');
  await writeFile(list, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { TICKHAUL_API_KEY: _, ...env } = folder.env;
  const { exitCode, stdout } = await runHere(['download', '--from-file', list, '--json'], { env });
  assert.equal(exitCode, 4);
  const summary = jsonLines({ exitCode, stdout, stderr: '' }).at(-1);
  assert.ok(summary);
  const { event: _event, seconds: _seconds, bytes: _bytes, reasons: _reasons, ...counts } = summary;
  assert.deepEqual(counts, { exitCode: 4, pending: 1, unavailable: 1, unauthorized: 1, downloaded: 1 });
  assert.equal(asked(folder), 1);
  assert.deepEqual(await listNames(folder.dir), ['by']);
});

const NONSENSE: readonly [string, RegExp][] = [
  ['hello', /list line 1: expected a JSON object, found "hello"/],
  [
    '{"event":"summary","exitCode":2}',
    /list: the list has no day file, because the run that wrote it ended with code 2/,
  ],
  [`${JSON.stringify(LINE)}\n${JSON.stringify({ ...LINE, date: 'x' })}`, /list line 2: "x" is not a day/],
  [JSON.stringify({ ...LINE, symbol: 1 }), /list line 1: "symbol" is 1, but must be a text/],
  [JSON.stringify({ ...LINE, path: '../x.csv.gz' }), /list line 1: the path "..\/x.csv.gz" leads out/],
  [
    `${JSON.stringify({ ...LINE, path: 'x.csv.gz' })}\n${JSON.stringify({ ...LINE, symbol: 'A', path: 'x.csv.gz' })}`,
    /two day files of the list would share the name x\.csv\.gz/,
  ],
];

test('an invalid list is refused with its line number, before any request', async (t) => {
  const folder = await emptyFolder(t);
  const list = join(folder.dir, '..', 'list');
  for (const [text, message] of NONSENSE) {
    await writeFile(list, text);
    await failedWith(folder.run('download', '--from-file', list), 2, message);
  }
  assert.equal(folder.service.requests.length, 0);
});

test('an empty list is nothing to do, but an empty stdin is an error', async (t) => {
  const folder = await emptyFolder(t);
  const list = join(folder.dir, '..', 'list');
  for (const text of ['', '{"event":"plan","files":0}\n{"event":"summary","exitCode":0}\n']) {
    await writeFile(list, text);
    const finished = await succeeded(
      folder.run('download', '--from-file', list, '--failed-to', list, '--json'),
    );
    assert.equal(jsonLines(finished).at(-1)?.['exitCode'], 0);
    assert.equal(await readFile(list, 'utf8'), '');
  }
  const { exitCode, stderr } = await runHere(['download', '--from-file', '-'], { env: folder.env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /--from-file -: the list on stdin is empty/);
});

test('a list and a selection exclude each other, and one of them is required', async (t) => {
  const folder = await emptyFolder(t);
  for (const [flags, message] of [
    [['--from-file', 'x', '-t', 'trades'], /--from-file names the files; leave --type out/],
    [['binance-futures', '--frozen', 'x'], /--frozen names the files; leave "binance-futures" out/],
    [['--frozen', 'x', '--layout', 'hive'], /--frozen names the files; leave --layout out/],
    [['--frozen', 'x', '--from-file', 'y'], /--from-file and --frozen: use only one of them/],
    [['--frozen', '/nowhere/x'], /--frozen: cannot read the file "\/nowhere\/x" \(ENOENT\)/],
    [['-t', 'trades'], /an argument is missing: tickhaul download <exchange>/],
  ] as const) {
    await failedWith(folder.run('download', ...flags), 2, message);
  }
});

test('a layout moves the files of a list', async (t) => {
  const folder = await emptyFolder(t);
  const list = join(folder.dir, '..', 'list');
  await writeFile(list, JSON.stringify({ ...LINE, path: 'x.csv.gz' }));
  const layout = ['--layout', '{exchange}/{date}/{name}'];
  assert.equal((await folder.run('download', '--from-file', list, ...layout)).exitCode, 0);
  assert.deepEqual(await listNames(join(folder.dir, 'binance-futures', '2024-03-02')), [dayFileName('02')]);
});
