import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commandName } from '../../src/cli/arguments/define-flags.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { openStore } from '../account/helpers.js';
import { envOf, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir, workingDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';

const SERIES = ['deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL'];
const DAY = ['--date', '2024-03-02', '--retries', '0'];

/** A use of each command that would send the key, or read the settings of a config file; [] if it has no such use. */
const USES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  exchanges: [['exchanges'], ['exchanges', 'deribit']],
  symbols: [['symbols', 'deribit']],
  instruments: [
    ['instruments', 'deribit'],
    ['instruments', 'deribit', 'BTC-PERPETUAL'],
  ],
  status: [['status', 'deribit']],
  plan: [['plan', ...SERIES, ...DAY]],
  download: [
    ['download', ...SERIES, ...DAY],
    ['download', ...SERIES, ...DAY, '--dry-run'],
  ],
  sync: [['sync'], ['sync', '--dry-run'], ['sync', '--retries', '0', '--json']],
  enqueue: [['enqueue', ...SERIES, ...DAY]],
  worker: [['worker', '--once']],
  queue: [],
  verify: [['verify'], ['verify', '--repair'], ['verify', '--cache']],
  audit: [['audit', '--recheck']],
  coverage: [['coverage']],
  lock: [['lock']],
  manifest: [['manifest', 'merge', '.']],
  convert: [['convert', '.']],
  export: [['export', 'freqtrade', '.', '-o', 'out']],
  views: [['views']],
  replay: [
    ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', ...DAY],
    [
      'replay',
      'deribit:BTC-PERPETUAL',
      '--channel',
      'trades',
      '--from',
      '2024-03-02T00:00',
      '--to',
      '2024-03-02T00:01',
    ],
  ],
  serve: [['serve', '--port', '0']],
  stream: [['stream', 'deribit', '-t', 'trade']],
  inspect: [['inspect', 'tickhaul.yaml']],
  login: [['login', '--email', 'jo@example.com']],
  logout: [['logout', '--email', 'jo@example.com']],
  account: [['account'], ['account', '--operations'], ['account', 'call', 'getAccount']],
  key: [['key'], ['key', '--json']],
  sandbox: [],
  demo: [],
  completion: [],
  version: [],
  help: [],
};
/** Commands that need settings for object stores only. */
const LOCAL_COMMANDS = new Set(['convert', 'inspect']);
const ARRIVAL = ['download', ...SERIES, '--date', '2024-03-01', '--convert', 'parquet', '--audit'];
/** Files that runs in a download folder read and write, and such runs. */
const STATE_FILES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  lock: [ARRIVAL, ['verify'], ['sync']],
  'manifest.jsonl': [ARRIVAL, ['coverage'], ['views'], ['lock'], ['verify', '--adopt']],
  'manifest.jsonl.compact': [ARRIVAL, ['verify']],
  'audit.jsonl': [ARRIVAL, ['audit']],
  'exports.jsonl': [ARRIVAL, ['export', 'freqtrade', 'data', '-o', 'data']],
  'conversions.jsonl': [
    ARRIVAL,
    ['convert', 'data'],
    ['convert', 'data', '-o', 'data', '--as', 'trade_bar_1m'],
  ],
  'sync.json': [['sync'], ['sync', '--dry-run']],
};
const KEY = 'TD.victims-secret-key';
const IDENTITY = { assertion: 'victims-assertion', refreshToken: 'victims-refresh-token' };
const LINE = 'victims-other-secret';

interface Victim {
  readonly env: Readonly<Record<string, string>>;
  /** Address of a host that records what it gets. */
  readonly host: string;
  readonly received: string[];
  /** A file of the user with a secret. */
  readonly secretFile: string;
}

/** A user with a key, an identity and a secret file, whose working folder is new. */
async function victim(t: TestContext): Promise<Victim> {
  const received: string[] = [];
  const host = await serve(t, (request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.on('data', (bytes: Buffer) => received.push(bytes.toString()));
    request.on('end', () => response.writeHead(404).end('{}'));
  });
  const home = await tempDir(t);
  const store = openStore(join(home, 'tickhaul'), host);
  await store.update(new URL(host).host, 'jo@example.com', async () => IDENTITY);
  const secretFile = join(home, 'token');
  await writeFile(secretFile, `${LINE}\n`, { mode: 0o600 });
  await workingDir(t);
  const env = {
    TICKHAUL_API_KEY: KEY,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    TICKHAUL_QUEUE_URL: 'redis://127.0.0.1:1',
    // The service of the defaults is not to be reached from a test.
    HTTPS_PROXY: 'http://127.0.0.1:1',
  };
  return { env, host, received, secretFile };
}

const JOB = 'jobs: [{name: a, exchange: deribit, types: trades, symbols: BTC-PERPETUAL, from: 2024-03-01}]\n';

test('no command sends anything to a host that a found file names, reads a file that it names, or runs its hooks', async (t) => {
  assert.deepEqual(Object.keys(USES).sort(), COMMANDS.map(commandName).sort());
  const { env, host, received, secretFile } = await victim(t);
  const hooks = 'onSuccess: touch hooked\nonFailure: touch hooked\n';
  const all = `apiUrl: ${host}\ndatasetsUrl: ${host}\nauthUrl: ${host}\ns3Endpoint: ${host}\nping: ${host}\n`;
  for (const config of [
    `${all}apiKeyFile: ${secretFile}\n${hooks}${JOB}`,
    `apiUrl: ${host}\n${JOB}`,
    `apiKeyFile: ${secretFile}\n${JOB}`,
    `s3Endpoint: ${host}\ndir: s3://bucket/prefix\n${JOB}`,
    `${hooks}${JOB}`,
  ]) {
    await writeFile('tickhaul.yaml', config);
    for (const words of Object.values(USES).flat()) {
      const { exitCode, stdout, stderr } = await runHere(words, { env });
      assert.deepEqual(received, [], words.join(' '));
      assert.ok(!existsSync('hooked'), words.join(' '));
      assert.ok(!`${stdout}${stderr}`.includes(LINE), words.join(' '));
      if (LOCAL_COMMANDS.has(words[0] ?? '')) continue;
      assert.equal(exitCode, 2, `${words.join(' ')}: ${stderr}`);
    }
  }
});

test('a file that a found file names as a list is not read', async (t) => {
  const { env, host, received, secretFile } = await victim(t);
  await writeFile('tickhaul.yaml', JOB.replace('BTC-PERPETUAL', `"@${secretFile}"`));
  const named = { ...env, TICKHAUL_API_URL: host, TICKHAUL_DATASETS_URL: host };
  for (const words of Object.values(USES).flat()) {
    const { stdout, stderr } = await runHere(words, { env: named });
    assert.ok(![stdout, stderr, ...received].join(' ').includes(LINE), words.join(' '));
  }
});

test('a pipe that bears the name of the config file stops no command, and is named once', {
  skip: process.platform === 'win32',
}, async (t) => {
  const { env } = await victim(t);
  const service = await sandbox(t);
  execFileSync('mkfifo', ['tickhaul.yaml']);
  const named = { ...env, ...envOf(service, 'data') };
  for (const words of [...Object.values(USES).flat(), ['sync', '--quiet']]) {
    // These go on without an end, or wait for the user.
    if (['serve', 'stream', 'worker', 'login'].includes(words[0] ?? '')) continue;
    const { stderr } = await runHere(words, { env: named });
    const warnings = stderr.match(/^warning ignoring tickhaul\.yaml: not a regular file$/gm) ?? [];
    const expected = words.includes('--quiet') || LOCAL_COMMANDS.has(words[0] ?? '') ? 0 : 1;
    assert.equal(warnings.length, expected, `${words.join(' ')}: ${stderr}`);
  }
});

test('a found file still says what to download, and where to', async (t) => {
  const { env } = await victim(t);
  const service = await sandbox(t);
  const { TICKHAUL_DIR: _, ...named } = { ...env, ...envOf(service, '.') };
  await writeFile('tickhaul.yaml', `dir: here\nlayout: hive\n${JOB}    `.replace('2024-03-01', '2024-03-09'));
  await succeeded(runHere(['sync'], { env: named }));
  assert.ok(existsSync('here/exchange=deribit'));
});

test('warns of a key file that others may read', { skip: process.platform === 'win32' }, async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { TICKHAUL_API_KEY: key = '', ...env } = envOf(service, dir);
  const path = join(dir, 'key file');
  await writeFile(path, key);
  for (const [mode, isOpen] of [
    [0o604, true],
    [0o644, true],
    [0o600, false],
    [0o400, false],
  ] as const) {
    await chmod(path, mode);
    const flag = await runHere(['key', '--api-key-file', path], { env });
    const variable = await runHere(['key'], { env: { ...env, TICKHAUL_API_KEY_FILE: path } });
    for (const [name, { exitCode, stderr }] of [
      ['--api-key-file', flag],
      ['TICKHAUL_API_KEY_FILE', variable],
    ] as const) {
      const warning = `warning ${name}: all users may read "${path}"; correct it with: chmod go-r '${path}'\n`;
      assert.deepEqual([exitCode, stderr], [0, isOpen ? warning : '']);
    }
  }
  await rm(path);
  await mkdir(path);
  assert.match((await runHere(['key', '--api-key-file', path], { env })).stderr, /EISDIR/);
});

test('pipes and links in the state folder of a download folder stop no command, and nothing is written through them', {
  skip: process.platform === 'win32',
}, async (t) => {
  const { env, secretFile } = await victim(t);
  const service = await sandbox(t);
  const named = { ...env, ...envOf(service, 'data') };
  await writeFile('tickhaul.yaml', JOB.replace('2024-03-01', '2024-03-09'));
  for (const [state, runs] of Object.entries(STATE_FILES)) {
    for (const create of [
      (path: string) => void execFileSync('mkfifo', [path]),
      (path: string) => symlinkSync(secretFile, path),
    ]) {
      await mkdir('data/.tickhaul', { recursive: true });
      create(`data/.tickhaul/${state}`);
      for (const words of runs) await runHere(words, { env: named });
      assert.equal(await readFile(secretFile, 'utf8'), `${LINE}\n`, state);
      await rm('data', { recursive: true });
    }
  }
});

test('the name of a job cannot control the terminal', async (t) => {
  const dir = await tempDir(t);
  const config = join(dir, 'tickhaul.yaml');
  const days = 'from: 2024-03-01, to: 2024-03-02';
  await writeFile(
    config,
    `jobs: [{ name: "a\\u001b[2Jb", exchange: deribit, types: [trades], symbols: [BTC-PERPETUAL], ${days} }]\n`,
  );
  const env = envOf(await sandbox(t), join(dir, 'data'));
  for (const flags of [['--dry-run'], []]) {
    const { exitCode, stdout, stderr } = await runHere(['sync', '--config', config, ...flags], { env });
    assert.equal(exitCode, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u);
    assert.match(stderr, /a\ufffd\[2Jb/);
  }
});
