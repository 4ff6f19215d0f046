import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { envOf, type Finished, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { bucketFor } from '../../helpers/s3/bucket.js';
import { sandbox } from '../../helpers/sandbox.js';
import { type ContextWith, redisTest, storeTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { DAYS, enqueue, fleetOf, lastOf, NAMED } from '../fleet/fleet.js';

/** The layout `hive` of earlier versions. */
const OLDER = 'exchange={exchange}/type={type}/symbol={symbol}/date={date}/{name}';
const FIRST = ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-01'];
const BOTH = [...FIRST.slice(0, -2), '--from', '2024-03-01', '--to', '2024-03-03'];
const CONVERT = ['--convert', 'parquet', '--as', 'rows,trade_bar_1m'];

const LISTED = `${JSON.stringify({ exchange: 'binance-futures', dataType: 'trades', symbol: 'BTCUSDT', date: '2024-03-01' })}\n`;

const isSaid = /type=… and symbol=… of the layout hive count as present; new files go to data_type=…/g;

/** Asserts that a run succeeds, and says once that files are under the older keys. */
function assertSaysOnce({ exitCode, stderr }: Finished): void {
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr.match(isSaid)?.length, 1, stderr);
}

interface Place {
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly files: () => Promise<readonly string[]>;
  readonly run: (...words: readonly string[]) => Promise<Finished>;
  /** Number of requests for day files. */
  readonly requests: () => number;
}

async function folderFor(t: TestContext): Promise<Place> {
  const service = await sandbox(t);
  const dir = join(await tempDir(t), 'data');
  const env = envOf(service, dir);
  return placeOf(service, dir, env, async () =>
    (await readdir(dir, { recursive: true })).filter((name) => /\.(gz|parquet)$/.test(name)),
  );
}

async function bucketPlaceFor(t: ContextWith<'store'>): Promise<Place> {
  const [service, bucket, cache] = await Promise.all([sandbox(t), bucketFor(t), tempDir(t)]);
  const dir = `s3://${bucket.name}/data`;
  const env = { ...envOf(service, cache), ...bucket.envHere(), TICKHAUL_DIR: dir };
  return placeOf(service, dir, env, async () =>
    (await bucket.keys('data/'))
      .map((key) => key.slice('data/'.length))
      .filter((key) => /\.(gz|parquet)$/.test(key)),
  );
}

function placeOf(
  { requests }: Awaited<ReturnType<typeof sandbox>>,
  dir: string,
  env: Record<string, string>,
  files: Place['files'],
): Place {
  return {
    dir,
    env,
    files,
    run: (...words) => runHere(words, { env }),
    requests: () => requests.filter(({ host }) => host === 'datasets').length,
  };
}

async function assertFilesPresent({ run, files, requests }: Place): Promise<void> {
  await succeeded(run('download', ...FIRST, ...CONVERT, '--layout', OLDER));
  const older = await files();
  assert.equal(older.length, 3);
  const asked = requests();

  const planned = await run('plan', ...BOTH, '--layout', 'hive', '--json');
  assertSaysOnce(planned);
  const [plan] = jsonLines(planned);
  assert.deepEqual([plan?.['skip'], plan?.['download']], [1, 1]);
  const again = await run('download', ...FIRST, ...CONVERT, '--layout', 'hive');
  assertSaysOnce(again);
  assert.deepEqual([await files(), requests()], [older, asked]);
  assertSaysOnce(await run('download', ...FIRST, ...CONVERT, '--layout', 'hive', '--existing', 'verify'));
  assert.deepEqual([await files(), requests()], [older, asked]);

  assertSaysOnce(await run('download', ...BOTH, ...CONVERT, '--layout', 'hive'));
  const added = (await files()).filter((path) => !older.includes(path));
  assert.equal(requests(), asked + 1);
  assert.equal(added.length, 3);
  for (const path of added)
    assert.match(path, /^exchange=[\w-]+\/data_type=\w+\/dataset_symbol=BTCUSDT\/date=2024-03-02\/[^/]+$/);
  await succeeded(run('verify'));

  // A conversion that was not made before has no older path.
  const more = await run(
    'download',
    ...FIRST,
    ...CONVERT.slice(0, -1),
    'quote_1s,trade_bar_1s',
    '--layout',
    'hive',
  );
  assertSaysOnce(more);
  const bars = (await files()).filter((path) => path.includes('trade_bar_1s'));
  assert.deepEqual(
    bars.map((path) => path.split('/')[1]),
    ['data_type=trade_bar_1s'],
  );
  assert.equal(requests(), asked + 1);
}

async function assertOutputsPresent({ dir, run }: Place): Promise<void> {
  const raw = `${dir}/raw`;
  const out = `${dir}/out`;
  await succeeded(run('download', ...FIRST, '--dir', raw));
  const convert = (...flags: readonly string[]) =>
    run('convert', raw, '-o', out, '--as', 'rows,trade_bar_1m', '--json', ...flags);
  assert.equal((await convert('--layout', OLDER)).exitCode, 0);
  await succeeded(run('download', ...BOTH, '--dir', raw));
  const finished = await convert('--layout', 'hive');
  assertSaysOnce(finished);
  assert.deepEqual(
    jsonLines(finished)
      .filter(({ event }) => event === 'file')
      .map(
        ({ path, status }) =>
          `${status} ${
            String(path)
              .slice(out.length + 1)
              .split('/')[1]
          }`,
      )
      .sort(),
    [
      'converted data_type=trade_bar_1m',
      'converted data_type=trades',
      'skipped type=trade_bar_1m',
      'skipped type=trades',
    ],
  );
  assert.equal(jsonLines(await convert('--layout', 'hive')).at(-1)?.['skipped'], 4);
}

const FILES_TITLE = 'files of the older keys count as present, and new files get the new keys';
const OUTPUTS_TITLE = 'outputs of convert under the older keys count as present';
test(`${FILES_TITLE}, in a folder`, async (t) => assertFilesPresent(await folderFor(t)));
storeTest(`${FILES_TITLE}, in a bucket`, async (t) => assertFilesPresent(await bucketPlaceFor(t)));
test(`${OUTPUTS_TITLE}, in a folder`, async (t) => assertOutputsPresent(await folderFor(t)));
storeTest(`${OUTPUTS_TITLE}, in a bucket`, async (t) => assertOutputsPresent(await bucketPlaceFor(t)));

test('a file of the older keys that is gone is downloaded to the new ones', async (t) => {
  const { dir, files, run } = await folderFor(t);
  await succeeded(run('download', ...FIRST, '--layout', OLDER));
  const [path = ''] = await files();
  await rm(join(dir, path));
  const { exitCode, stderr } = await run('download', ...FIRST, '--layout', 'hive');
  assert.deepEqual([exitCode, stderr.match(isSaid)], [0, null]);
  assert.deepEqual(await files(), [
    path.replace('/type=', '/data_type=').replace('/symbol=', '/dataset_symbol='),
  ]);
});

test('sync and a list count files of the older keys as present, and say so once', async (t) => {
  const { dir, run, files, env } = await folderFor(t);
  const { TICKHAUL_DIR: _, ...others } = env;
  const config = join(dir, '..', 'named.yaml');
  const job = (name: string, symbols: string): string =>
    `  - {name: ${name}, exchange: binance-futures, types: trades, symbols: ${symbols}, from: 2024-03-01, to: 2024-03-02}\n`;
  await writeFile(config, `dir: ${dir}\nlayout: hive\njobs:\n${job('a', 'BTCUSDT')}${job('b', 'ETHUSDT')}`);
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    const words = FIRST.map((word) => (word === 'BTCUSDT' ? symbol : word));
    await succeeded(run('download', ...words, '--layout', OLDER));
  }
  const older = await files();
  for (const flags of [[], ['--dry-run']]) {
    const finished = await runHere(['sync', '--config', config, ...flags], { env: others });
    assertSaysOnce(finished);
    assert.deepEqual(await files(), older);
  }
  const list = join(dir, '..', 'list.txt');
  await writeFile(list, LISTED);
  const listed = await run('download', '--from-file', list, '--layout', 'hive');
  assertSaysOnce(listed);
  assert.deepEqual(await files(), older);
});

redisTest('a worker counts files of the older keys as present', async (t) => {
  const fleet = await fleetOf(t);
  const words = [...NAMED, '--from', '2024-02-28', '--to', '2024-03-01'];
  assert.equal((await fleet.run('download', ...words, '--layout', OLDER)).exitCode, 0);
  const asked = fleet.requests().length;
  assert.equal((await enqueue(fleet, '--layout', 'hive'))?.['added'], 4);
  await succeeded(fleet.run('worker', '--once', '--json'));
  assert.equal(fleet.requests().length, 20);
  assert.equal(asked, 8);
  assert.deepEqual(
    lastOf(await fleet.run('plan', ...NAMED, ...DAYS, '--layout', 'hive', '--json'))?.['skip'],
    20,
  );
});

test('a template with the name of a column as a key is warned of', async (t) => {
  const { run, dir } = await folderFor(t);
  const said = /--layout: query engines read the folder (\S+) in place of the column (\w+) of the files/g;
  const saysOf = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stderr } = await succeeded(run(...words));
    return [...stderr.matchAll(said)].map(([, folder, column]) => `${folder} ${column}`);
  };
  const both = ['type={type} type', 'symbol={symbol} symbol'];
  assert.deepEqual(await saysOf('plan', ...FIRST, '--layout', OLDER), both);
  assert.deepEqual(await saysOf('download', ...FIRST, '--layout', 'hive'), []);
  assert.deepEqual(await saysOf('convert', dir, '-o', join(dir, 'a'), '--layout', OLDER), both);
  assert.deepEqual(await saysOf('convert', dir, '-o', join(dir, 'b'), '--layout', 'a={type}/{name}'), []);
  const list = join(dir, 'list.txt');
  await writeFile(list, LISTED);
  assert.deepEqual(await saysOf('plan', '--from-file', list, '--layout', 'exchange={symbol}/{name}'), [
    'exchange={symbol} exchange',
  ]);
});
