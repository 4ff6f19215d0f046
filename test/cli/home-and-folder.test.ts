import assert from 'node:assert/strict';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { download } from '../../src/index.js';
import { envOf, type Finished, failedWith, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir, workingDir } from '../helpers/temp.js';

const SELECTION = ['deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
const FILE = 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';

interface Place {
  readonly home: string;
  readonly env: Record<string, string>;
  run(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
}

async function place(t: TestContext): Promise<Place> {
  const service = await sandbox(t, { rows: 20 });
  await workingDir(t);
  const home = await tempDir(t);
  const { TICKHAUL_DIR: _, ...env }: Record<string, string> = { ...envOf(service, home), HOME: home };
  const run: Place['run'] = async (words, others = {}) => {
    const finished = await succeeded(runHere(words, { env: { ...env, ...others } }));
    return finished;
  };
  return { home, env, run };
}

test('~/ is the home folder in every path of flags, variables, lists and the config file', async (t) => {
  const { home, env, run } = await place(t);
  const key = env['TICKHAUL_API_KEY'] ?? '';
  await writeFile(join(home, 'key'), key);
  await writeFile(join(home, 'list'), 'BTC-PERPETUAL\n');
  const listed = SELECTION.with(4, '@~/list');
  await run(['download', ...listed, '--dir=~/a', '--failed-to=~/failed', '--api-key-file=~/key']);
  await run(['plan', ...SELECTION, '--pin=~/pin']);
  await run(
    ['download', '--pinned', '~/pin', '--export=freqtrade', '--export-dir=~/ft', '--pair=BTC/USD:BTC'],
    {
      TICKHAUL_DIR: '~/a',
    },
  );
  await run(['verify', '~/a']);
  await run(['convert', '~/a', '--out=~/parquet']);
  await run(['views', '~/a', '--out=~/views.sql']);
  await run(['coverage', '~/a', '--html=~/page.html']);
  await run(['inspect', `~/a/${FILE}`]);
  await run(['lock', '--dir=~/a', '--out=~/lock']);
  await run(['download', '--frozen=~/lock', '--dir=~/a']);
  await run([
    'replay',
    'deribit:BTC-PERPETUAL',
    '-t',
    'trade',
    ...SELECTION.slice(5),
    '--dir=~/a',
    '-o',
    '~/lines',
  ]);
  await run(['verify', '--cache'], { TM_CACHE_DIR: '~/parquet' });
  const job = {
    name: 'a',
    exchange: 'deribit',
    types: ['trades' as const],
    symbols: ['@~/list'],
    date: '2024-03-01',
  };
  const config = {
    dir: '~/b',
    jobs: [{ ...job, export: 'freqtrade', exportDir: '~/ft2', pair: 'BTC/USD:BTC' }],
  };
  await writeFile(join(home, 'config.json'), JSON.stringify(config));
  await run(['sync'], { TICKHAUL_CONFIG: '~/config.json' });
  await run(['sync', '--config=~/config.json', '--dry-run']);
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  try {
    const [apiUrl, datasetsUrl] = [env['TICKHAUL_API_URL'] ?? '', env['TICKHAUL_DATASETS_URL'] ?? ''];
    const { name: __, ...selection } = job;
    await download({ ...selection, symbols: '@~/list', dir: '~/c', apiUrl, datasetsUrl });
  } finally {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  }
  const made = [
    'a',
    'b',
    'c',
    'failed',
    'ft',
    'ft2',
    'lines',
    'lock',
    'page.html',
    'parquet',
    'pin',
    'views.sql',
  ];
  const names = await readdir(home);
  assert.deepEqual(
    made.filter((name) => !names.includes(name)),
    [],
  );
  assert.ok((await readdir(join(home, 'a'))).includes(FILE));
  assert.deepEqual(await readdir('.'), [], 'nothing in the working folder');
});

test('the home folder of another user is refused, and names with a ~ elsewhere are kept', async (t) => {
  const { env } = await place(t);
  for (const [words, name] of [
    [['verify', '--dir=~jo/x'], '--dir'],
    [['verify'], 'TICKHAUL_DIR'],
  ] as const) {
    const { exitCode, stderr } = await runHere(words, { env: { ...env, TICKHAUL_DIR: '~jo/x' } });
    assert.deepEqual(
      [exitCode, stderr.split(';')[0]],
      [2, `tickhaul: ${name}: "~jo/x": the home folder of another user is not looked up`],
    );
  }
  for (const dir of ['./~/x', 'a~b', 'x/~/y']) {
    const { stderr } = await runHere(['verify', `--dir=${dir}`], { env });
    assert.match(stderr, /there is no such download folder/);
  }
});

/** Runs the built command in a folder that a shell has removed. */
function inRemovedFolder(
  words: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Finished> {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  return tickhaul(words, { cwd, env, command: ['/bin/sh', '-c', script, 'sh', process.execPath] });
}

test('commands with absolute paths need no working folder, and others name it', async (t) => {
  const { home, env, run } = await place(t);
  const cwd = await tempDir(t);
  const data = join(home, 'data');
  await run(['download', ...SELECTION, '--dir', data]);
  const working: readonly (readonly string[])[] = [
    ['version'],
    ['verify', '--dir', data],
    ['views', data],
    ['audit', data, '--offline'],
    ['convert', data, '-o', join(home, 'out')],
  ];
  for (const words of working) {
    const { exitCode, stderr } = await inRemovedFolder(words, cwd, env);
    assert.equal(exitCode, 0, `${words[0]}: ${stderr}`);
  }
  for (const words of [['verify'], ['convert', data, '-o', 'out'], ['download', ...SELECTION]]) {
    const { exitCode, stderr } = await inRemovedFolder(words, cwd, env);
    assert.ok(exitCode === 2 || exitCode === 8, `${words[0]}: ${exitCode} ${stderr}`);
    assert.match(stderr, /the working folder was removed; change to another folder/);
    assert.ok(!/install tickhaul|a bug/.test(stderr), stderr);
  }
});

test('commands need no home folder unless they keep something there', {
  skip: process.getuid?.() !== 0 && 'needs root, to run as a user that the system does not know',
}, async (t) => {
  const { home, env, run } = await place(t);
  const data = join(home, 'data');
  await run(['download', ...SELECTION, '--dir', data]);
  const cwd = await tempDir(t);
  for (const path of [home, cwd]) await chmod(path, 0o777);
  await rm(join(home, '.cache'), { recursive: true, force: true });
  const { HOME: _, XDG_CACHE_HOME: __, ...without } = env;
  const script = 'unset HOME; exec setpriv --reuid 54321 --regid 54321 --clear-groups "$@"';
  const asUnknown = (words: readonly string[]): Promise<Finished> =>
    tickhaul(words, { cwd, env: without, command: ['/bin/sh', '-c', script, 'sh', process.execPath] });
  const other = join(cwd, 'other');
  for (const words of [['version'], ['verify', '--dir', data], ['download', ...SELECTION, '--dir', other]]) {
    await succeeded(asUnknown(words));
  }
  for (const words of [
    ['verify', '--dir=~/x'],
    ['replay', 'deribit', '-t', 'trade', '--date', '2024-03-01', '--offline'],
    ['logout', '--all'],
  ]) {
    await failedWith(asUnknown(words), 2, /the home folder is not known.*set HOME/);
  }
});
