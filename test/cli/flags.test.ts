import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { Secrets } from '../../src/base/secrets.js';
import { parseCommandLine } from '../../src/cli/arguments/parse-command-line.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { readDownloadOptions, readSelection } from '../../src/operations/selection/read-selection.js';
import { readKey, readSettings } from '../../src/operations/settings.js';
import { COMMAND_OPTIONS } from '../../src/options/command-options.js';
import { readOptions } from '../../src/options/read-options.js';
import { SETTING_OPTIONS } from '../../src/options/service-options.js';
import { tempDir } from '../helpers/temp.js';

/** A signal that is never aborted. */
const NEVER = new AbortController().signal;
const BASE = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL'];

async function argsOf(...words: string[]) {
  const parsed = await parseCommandLine(COMMANDS, words, 80);
  assert.equal(parsed.kind, 'run');
  return parsed.args;
}

const optionsOf = async (...words: string[]) => readOptions(COMMAND_OPTIONS.download, await argsOf(...words));
const settingsOf = (env: Readonly<Record<string, string>>, args: object = {}, home = '/') =>
  readSettings(env, readOptions(SETTING_OPTIONS, { ...args }), home);

test('lists are comma-separated or repeated', async () => {
  const options = await optionsOf(
    'plan',
    'deribit',
    '-t',
    'trades,quotes',
    '--type',
    'liquidations',
    '-s',
    'A, B',
    '--last',
    '7d',
  );
  const selection = await readSelection(options, NEVER);
  assert.deepEqual(selection.types, ['trades', 'quotes', 'liquidations']);
  assert.deepEqual(selection.symbols, ['A', 'B']);
  assert.equal(selection.last, 7);
  assert.equal(selection.layout, 'flat');
});

test('download options have the documented defaults', async () => {
  const options = await optionsOf(...BASE, '--last', '1d');
  assert.deepEqual(readDownloadOptions(options), {
    concurrency: 'auto',
    retries: 8,
    maxWaitMs: 900_000,
    maxRate: undefined,
    existing: 'skip',
    failFast: false,
    strict: false,
    convert: undefined,
    shard: undefined,
  });
  assert.equal(options.stallTimeoutMs, 60_000);
});

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['--concurrency', '0'], /^--concurrency: "0"/],
  [['--concurrency', 'abc'], /^--concurrency: "abc"/],
  [['--retries', '-1'], /^--retries: "-1"/],
  [['--retries', 'NaN'], /^--retries: "NaN"/],
  [['--max-wait', 'soon'], /^--max-wait: "soon"/],
  [['--max-rate', '0'], /^--max-rate: "0"/],
  [['--stall-timeout', '0s'], /^--stall-timeout/],
];
for (const [words, message] of wrong) {
  test(`${words.join(' ')} is a usage error that names the flag`, async () => {
    await assert.rejects(optionsOf(...BASE, '--last', '1d', ...words), { code: 'usage', message });
  });
}

const wrongDays: readonly (readonly [string[], RegExp])[] = [
  [[], /no days selected/],
  [['--date', '2024-02-30'], /^--date: "2024-02-30"/],
  [['--date', '2024-03-01', '--from', '2024-03-01'], /only one of: --date, or --from/],
  [['--from', '2024-03-02', '--to', '2024-03-02'], /must be after --from/],
  [['--to', '2024-03-02'], /--to requires --from/],
  [['--last', '0d'], /^--last: "0d" is not a number of days/],
  [['--last', '100000d'], /^--last: "100000d" is too many days, at most 36500d$/],
];
for (const [words, message] of wrongDays) {
  test(`days ${words.join(' ') || 'left out'} are a usage error`, async () => {
    const read = async () => readSelection(await optionsOf(...BASE, ...words), NEVER);
    await assert.rejects(read, { code: 'usage', message });
  });
}

const wrongWords: readonly (readonly [string[], RegExp])[] = [
  [['downlod', 'x'], /^unknown command "downlod"; did you mean download\?; see tickhaul --help$/],
  [[...BASE, '--tpye', 'x'], /^unknown flag --tpye; did you mean --type\?; see tickhaul download --help$/],
  [['status'], /^an argument is missing: tickhaul status <exchange>; see/],
  [['download', 'a', 'b'], /^"b": one argument too many/],
  [['download', 'a', '--type'], /^--type needs a value/],
  [['download', 'a', '--existing', '-'], /^--existing: "-" is not one of "skip", "verify", "overwrite"/],
  [['download', 'a', '--existing', 'x'], /^--existing: "x" is not one of "skip", "verify", "overwrite"/],
];
for (const [words, message] of wrongWords) {
  test(`"${words.join(' ')}" is explained in one line`, async () => {
    await assert.rejects(parseCommandLine(COMMANDS, words, 80), { code: 'usage', message });
  });
}

test('a dash is a valid argument, an empty one is not', async () => {
  assert.deepEqual((await argsOf('verify', '-', 'b', '--dir', '-'))['path'], ['-', 'b']);
  assert.equal((await argsOf('convert', 'a', '-o', '-'))['out'], '-');
  for (const words of [
    ['convert', ''],
    ['convert', 'a', ''],
  ]) {
    await assert.rejects(parseCommandLine(COMMANDS, words, 80), {
      code: 'usage',
      message: '<path> is empty; see tickhaul convert --help',
    });
  }
});

test('@file has one symbol per line, without comments; an error names a missing file', async (t) => {
  const folder = await tempDir(t);
  const path = join(folder, 'symbols.txt');
  await writeFile(path, '\uFEFF# mine\r\nBTCUSDT\r\n\r\n  ETHUSDT \n');
  const read = async (name: string) =>
    readSelection(await optionsOf('plan', 'x', '-t', 'all', '-s', `@${name},SOL`, '--last', '1d'), NEVER);
  assert.deepEqual((await read(path)).symbols, ['BTCUSDT', 'ETHUSDT', 'SOL']);
  await assert.rejects(read(join(folder, 'none')), { code: 'usage', message: /none" \(ENOENT\)/ });
});

test('a flag overrides the environment, which overrides the default', () => {
  const env = { TICKHAUL_API_URL: 'http://one:1/', TICKHAUL_DIR: 'there', XDG_CACHE_HOME: '' };
  const settings = settingsOf(env, {}, '/home/me');
  assert.equal(settings.apiUrl, 'http://one:1');
  assert.equal(settings.datasetsUrl, 'https://datasets.tardis.dev');
  assert.equal(settings.downloadDir, 'there');
  assert.equal(settings.cacheDir, '/home/me/.cache/tickhaul');
  assert.equal(settingsOf(env, { 'api-url': 'https://two' }).apiUrl, 'https://two');
  assert.throws(() => settingsOf({}, { 'api-url': 'localhost:80' }), {
    code: 'usage',
    message: /--api-url/,
  });
});

test('trims the key; refuses a key with a line break without printing it', async () => {
  const keyOf = (env: Record<string, string>) =>
    readKey(settingsOf(env).keySource, {
      stdin: Readable.from([' piped\n']),
      signal: new AbortController().signal,
      secrets: new Secrets(),
      user: undefined,
      warn: assert.fail,
    });
  assert.equal(await keyOf({ TM_API_KEY: 'c', TARDIS_API_KEY: ' b\n' }), 'b');
  assert.equal(await keyOf({ TICKHAUL_API_KEY_FILE: '-' }), 'piped');
  assert.equal(await keyOf({}), undefined);
  await assert.rejects(
    keyOf({ TICKHAUL_API_KEY: 'sec\nret' }),
    (error: Error) => !/sec|ret/.test(error.message),
  );
});

test('an abort ends the wait for a key on stdin', async () => {
  const keyboard = new Readable({ read() {} });
  const reason = new TickhaulError('interrupted', 'interrupted (SIGINT)');
  const controller = new AbortController();
  const key = readKey(
    { from: 'file', name: '--api-key-file', path: '-' },
    {
      stdin: keyboard,
      signal: controller.signal,
      secrets: new Secrets(),
      user: undefined,
      warn: assert.fail,
    },
  );
  controller.abort(reason);
  await assert.rejects(key, reason);
});
