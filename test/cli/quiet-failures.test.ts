import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_TABLE, TickhaulError } from '../../src/base/errors.js';
import { commandName, HELP } from '../../src/cli/arguments/define-flags.js';
import { EXIT_CODES } from '../../src/cli/arguments/describe-command.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tradesOf } from '../helpers/selection.js';
import { tempDir } from '../helpers/temp.js';
import { downloadFolder, FIRST, type Folder, folderOf, SECOND, THIRD } from '../verify/helpers.js';

/** A command that fails: its exit code, what the one reason on stderr says, and its words. */
interface Case {
  readonly code: number;
  readonly says: RegExp;
  readonly words: readonly string[];
  /** Changes the folder of four day files first. */
  readonly before?: (folder: Folder) => Promise<unknown>;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The command has no `--json`, or its data goes to stdout. */
  readonly noJson?: true;
}

const DOWN = { TICKHAUL_API_URL: 'http://127.0.0.1:1', TICKHAUL_DATASETS_URL: 'http://127.0.0.1:1' };
const NO_KEY = { TICKHAUL_API_KEY: '' };
const NO_RETRIES = ['--retries', '0'];
const UNCOVERED =
  /days? needs? an API key, and none is set: set TICKHAUL_API_KEY; the first day of each month is free/;
const NEWER = tradesOf('2024-03-05', '2024-03-07');
const PENDING = tradesOf('2024-03-09', '2024-03-12');
const JOB = { name: 'btc', exchange: 'binance-futures', types: 'trades', symbols: 'BTCUSDT' };

const corrupt = ({ dir }: Folder): Promise<void> => truncate(join(dir, SECOND), 100);
const corruptOfTwoKinds = async (folder: Folder): Promise<void> => {
  await corrupt(folder);
  await rm(join(folder.dir, THIRD));
};
const config =
  (settings: object) =>
  ({ dir }: Folder): Promise<void> =>
    writeFile(join(dir, 'job.json'), JSON.stringify({ jobs: [{ ...JOB, ...settings }] }));
const lock = async ({ dir }: Folder): Promise<void> => {
  await mkdir(join(dir, '.tickhaul'), { recursive: true });
  const holder = { pid: process.pid, host: hostname(), started: 'then', command: 'tickhaul sync' };
  await writeFile(join(dir, '.tickhaul', 'lock'), JSON.stringify(holder));
};
const aborted = (code: 'interrupted' | 'terminated'): AbortSignal =>
  AbortSignal.abort(new TickhaulError(code, `${code} (a signal)`));
const sync = ['sync', '--config', 'DIR/job.json', ...NO_RETRIES];
const DAYS = { from: '2024-03-05', to: '2024-03-07' };

/** The folder is DIR. */
const CASES: readonly Case[] = [
  { code: 4, says: UNCOVERED, words: ['download', ...NEWER], env: NO_KEY },
  { code: 4, says: UNCOVERED, words: sync, before: config(DAYS), env: NO_KEY },
  {
    code: 4,
    says: /1 file failed|does not accept/,
    words: ['download', ...NEWER],
    env: { TICKHAUL_API_KEY: 'x' },
  },
  { code: 4, says: /no API key is set/, words: ['key'], env: NO_KEY },
  {
    code: 4,
    says: UNCOVERED,
    words: ['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2024-03-06'],
    env: NO_KEY,
  },
  { code: 5, says: /127\.0\.0\.1:1/, words: ['exchanges'], env: DOWN },
  { code: 5, says: /127\.0\.0\.1:1/, words: ['download', ...NEWER], env: DOWN },
  { code: 5, says: /127\.0\.0\.1:1/, words: sync, before: config(DAYS), env: DOWN },
  { code: 5, says: /127\.0\.0\.1:1/, words: [...sync, '-n'], before: config(DAYS), env: DOWN },
  {
    code: 5,
    says: /the service did not answer|127\.0\.0\.1:1/,
    words: ['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2024-03-06'],
    env: DOWN,
  },
  { code: 6, says: /03-02/, words: ['verify'], before: corrupt },
  { code: 6, says: /03-02/, words: ['verify', '--listed'], before: corrupt },
  { code: 6, says: /03-02/, words: ['convert', 'DIR', '-o', 'DIR/out'], before: corrupt },
  { code: 6, says: /03-02/, words: ['convert', `DIR/${SECOND}`, '-o', '-'], before: corrupt, noJson: true },
  { code: 6, says: /03-02/, words: ['audit', 'DIR', '--offline'], before: corrupt },
  { code: 6, says: /missing or of another size/, words: ['lock', '-o', 'DIR/lock.txt'], before: corrupt },
  {
    code: 6,
    says: /03-02/,
    words: ['export', 'freqtrade', 'DIR', '-o', 'DIR/out', '--pair', 'BTC/USDT'],
    before: corrupt,
  },
  { code: 6, says: /03-02/, words: ['inspect', `DIR/${SECOND}`], before: corrupt },
  {
    code: 6,
    says: /1 day file that the lock file does not name/,
    words: ['download', '--frozen', 'DIR/tickhaul.lock'],
    before: async ({ dir, run }) => {
      await succeeded(run('lock', '-o', join(dir, 'tickhaul.lock')));
      await copyFile(join(dir, FIRST), join(dir, FIRST.replace('BTCUSDT', 'ETHUSDT')));
    },
  },
  {
    code: 7,
    says: /days? files? pending or unavailable|2 day files pending/,
    words: ['plan', ...PENDING, '--strict'],
  },
  { code: 7, says: /2 day files pending/, words: ['download', ...PENDING, '--strict'] },
  {
    code: 7,
    says: /btc: 2 day files pending/,
    words: sync,
    before: config({ from: '2024-03-09', to: '2024-03-12', strict: true }),
  },
  {
    code: 7,
    says: /btc: 2 day files pending/,
    words: [...sync, '-n'],
    before: config({ from: '2024-03-09', to: '2024-03-12', strict: true }),
  },
  {
    code: 7,
    says: /1 gap of missing days within a series, and --strict requires them/,
    words: ['verify', '--strict'],
    before: async ({ dir, verify }) => {
      await rm(join(dir, SECOND));
      await verify('--forget');
    },
  },
  {
    code: 7,
    says: /2024-03-20 is not exported yet/,
    words: ['status', 'deribit', '--wait', '--until', '2024-03-20', '--timeout', '1ms'],
  },
  {
    code: 7,
    says: /not exported yet/,
    words: ['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2024-03-11'],
  },
  {
    code: 3,
    says: /03-02|needs? an API key/,
    words: ['download', ...tradesOf('2024-03-01', '2024-03-07'), '--existing', 'verify'],
    before: ({ dir }) => mkdir(join(dir, FIRST.replace('-01_', '-06_')), { recursive: true }),
    env: NO_KEY,
  },
  {
    code: 8,
    says: /not-a-folder/,
    words: ['download', ...NEWER, '-o', 'DIR/not-a-folder/x'],
    before: ({ dir }) => writeFile(join(dir, 'not-a-folder'), ''),
  },
  {
    code: 9,
    says: /process \d+/,
    words: sync,
    before: async (folder) => {
      await config(DAYS)(folder);
      await lock(folder);
    },
  },
  { code: 9, says: /process \d+/, words: ['verify', '--clean'], before: lock },
  {
    code: 10,
    says: /4 days with a condition/,
    words: ['audit', 'DIR', '--offline', '--fail-on', 'available'],
  },
  ...(['interrupted', 'terminated'] as const).flatMap((code): readonly Case[] =>
    [
      ['download', ...NEWER],
      ['verify'],
      ['convert', 'DIR', '-o', 'DIR/out'],
      ['audit', 'DIR', '--offline'],
      ['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2024-03-06'],
    ].map((words) => ({
      code: ERROR_TABLE[code].exitCode,
      says: new RegExp(code),
      words,
      signal: aborted(code),
    })),
  ),
  { code: 6, says: /03-02|03-03/, words: ['verify'], before: corruptOfTwoKinds },
];

/** Runs a case with `--quiet`, and again with `--json`, each in a copy of the folder. */
async function assertSaid(
  original: Folder,
  parent: string,
  { code, says, words, before, env, signal, noJson }: Case,
): Promise<void> {
  for (const flags of [['--quiet'], ...(noJson ? [] : [['--quiet', '--json'], ['--json']])]) {
    const dir = await mkdtemp(join(parent, 'data-'));
    await cp(original.dir, dir, { recursive: true });
    const folder = folderOf(original.service, dir);
    await before?.(folder);
    const all = [...words.map((word) => word.replace('DIR', dir)), ...flags];
    const done = await runHere(all, { env: { ...folder.env, ...env }, ...(signal && { signal }) });
    const label = `${all.join(' ')}\n${done.stderr}`;
    assert.equal(done.exitCode, code, label);
    assert.match(done.stderr, says, label);
    const lines = done.stderr.trimEnd().split('\n');
    assert.equal(new Set(lines).size, lines.length, `nothing is said twice: ${label}`);
  }
}

test('--quiet says why the exit code is not 0', async (t) => {
  const [original, parent] = [await downloadFolder(t), await tempDir(t)];
  for (const each of CASES)
    await t.test(`${each.code}: ${each.words.join(' ')}`, () => assertSaid(original, parent, each));
});

test('the table has every exit code that a command can end with', () => {
  const codes = new Set([
    0,
    ERROR_TABLE.bug.exitCode,
    ERROR_TABLE.usage.exitCode,
    ...CASES.map(({ code }) => code),
  ]);
  assert.deepEqual(
    [...codes].sort((a, b) => a - b),
    Object.keys(EXIT_CODES).map(Number),
  );
});

test('--quiet says which word of a command line is wrong, for every command', async () => {
  for (const command of COMMANDS) {
    const name = commandName(command);
    // `help` alone is `--help`, which yargs prints whatever the other words are.
    const named = name === HELP ? [name, 'exit-codes'] : [name];
    await failedWith(
      runHere([...named, '--quiet', '--no-such-flag']),
      2,
      /^tickhaul: .*--no-such-flag.*\n$/,
      name,
    );
  }
});
