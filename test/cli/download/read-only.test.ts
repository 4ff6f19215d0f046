import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Finished, failedWith, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

const DAYS = tradesOf('2024-03-01', '2024-03-04');
const NDJSON = ['-f', 'ndjson'];

interface Sealed {
  readonly dir: string;
  /** Runs a command in an environment that cannot write to the folder. */
  run(...args: readonly string[]): Promise<Finished>;
  /** Number of requests for day files. */
  asked(): number;
}

/** A folder with three days of trades, their Parquet and NDJSON files, and a sync job. */
async function filled(t: TestContext, dir: string, command?: readonly string[]): Promise<Sealed> {
  const service = await sandbox(t);
  const config = join(dir, 'tickhaul.yaml');
  const job = '{name: btc, exchange: binance-futures, types: trades, symbols: BTCUSDT';
  await writeFile(config, `jobs:\n  - ${job}, from: 2024-03-01, to: 2024-03-04}\n`);
  const env = {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_API_KEY: service.apiKey,
    TICKHAUL_DIR: dir,
    TICKHAUL_CONFIG: config,
    XDG_CACHE_HOME: await tempDir(t),
  };
  const convert = ['--convert', 'parquet'];
  for (const args of [['download', ...DAYS, ...convert], ['sync'], ['convert', dir, ...NDJSON]]) {
    await succeeded(runHere(args, { env }));
  }
  return {
    dir,
    run: (...args) => (command ? tickhaul(args, { env, command }) : runHere(args, { env })),
    asked: () => service.requests.filter(({ host }) => host === 'datasets').length,
  };
}

const UP_TO_DATE: readonly (readonly [string, (dir: string) => readonly string[], number])[] = [
  ['download', () => ['download', ...DAYS], 3],
  ['download --convert', () => ['download', ...DAYS, '--convert', 'parquet'], 3],
  ['download --existing verify', () => ['download', ...DAYS, '--existing', 'verify'], 3],
  ['sync', () => ['sync'], 3],
  ['convert', (dir) => ['convert', dir, ...NDJSON], 3],
];

/** Changes that leave work to do in the folder. */
const INCOMPLETE: readonly (readonly [string, (dir: string) => readonly string[]])[] = [
  ['download', () => ['download', ...tradesOf('2024-03-01', '2024-03-06')]],
  ['download --convert', () => ['download', ...DAYS, '--convert', 'ndjson', '--compression', 'zstd']],
  ['sync', () => ['sync', '--config', 'more.yaml']],
  ['convert', (dir) => ['convert', dir, '--times', 'int']],
];

async function check({ dir, run, asked }: Sealed, says: RegExp): Promise<void> {
  const names = await namesIn(dir);
  const before = asked();
  for (const [name, args, files] of UP_TO_DATE) {
    const finished = await run(...args(dir), '--json');
    assert.equal(finished.exitCode, 0, `${name}: ${finished.stdout} ${finished.stderr}`);
    const { skipped = 0, verified = 0 } = (jsonLines(finished).at(-1) ?? {}) as Record<string, number>;
    assert.equal(skipped + verified, files, name);
  }
  for (const [name, args] of INCOMPLETE) {
    await failedWith(
      run(...args(dir).map((word) => (word === 'more.yaml' ? join(dir, word) : word))),
      8,
      says,
      name,
    );
  }
  assert.equal(asked(), before, 'no day file is asked for');
  assert.deepEqual(await namesIn(dir), names);
}

const MORE = 'jobs:\n  - {name: btc, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 3d}\n';

test('a read-only file system is fine if there is nothing to do, and code 8 otherwise', async (t) => {
  const disk = await smallDisk(t, '5m');
  if (!disk) return;
  const sealed = await filled(t, disk.dir);
  await writeFile(join(disk.dir, 'more.yaml'), MORE);
  disk.seal();
  await check(sealed, /the file system is read-only; choose another folder/);
});

test('a folder of another user is fine if there is nothing to do, and code 8 otherwise', async (t) => {
  const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  const command = process.getuid?.() === 0 ? [...nobody, process.execPath] : [process.execPath];
  try {
    execFileSync(command[0] as string, [...command.slice(1), '--version'], { stdio: 'ignore' });
  } catch {
    return t.skip('no right to run as another user here');
  }
  const dir = await tempDir(t);
  const sealed = await filled(t, dir, command);
  await writeFile(join(dir, 'more.yaml'), MORE);
  const folders = [dir, join(dir, '.tickhaul')];
  for (const folder of folders) await chmod(folder, 0o555);
  await check(sealed, /no permission; choose another folder, or change its owner/).finally(async () => {
    for (const folder of folders) await chmod(folder, 0o755);
  });
});
