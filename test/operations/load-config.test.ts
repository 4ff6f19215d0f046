import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CommandHost, readProcessHost } from '../../src/operations/command-host.js';
import { loadConfig } from '../../src/operations/load-config.js';
import { configSchema, jobSchema } from '../../src/options/config-schema.js';
import type { ConfigFile } from '../../src/options/parse-config.js';
import { workingDir } from '../helpers/temp.js';

/** Values of all settings; a new one fails the test until its row says which files may have it. */
const ANYWHERE = {
  layout: 'hive',
  concurrency: 2,
  retries: 1,
  stallTimeout: '5s',
  maxWait: '5s',
  maxRate: '20MB',
  existing: 'verify',
  failFast: true,
  strict: true,
  convert: 'parquet',
  noKeepCsv: true,
  as: 'trade_bar_1m',
  barTime: 'open',
  fill: true,
  compression: 'zstd',
  encodings: 'plain',
  rowGroup: '64k',
  times: 'int',
  numbers: 'string',
  audit: true,
};
const TOP = {
  ...ANYWHERE,
  $schema: 'schema.json',
  dir: 's3://bucket/prefix',
  wait: true,
  timeout: '1h',
  maxDuration: '1h',
  lockTimeout: '1h',
  s3Region: 'eu-west-1',
  s3PathStyle: true,
};
const NAMED_ONLY = {
  apiUrl: 'http://127.0.0.1:9',
  datasetsUrl: 'http://127.0.0.1:9',
  authUrl: 'http://127.0.0.1:9',
  allowHttp: false,
  apiKeyFile: 'key',
  s3Endpoint: 'http://127.0.0.1:9',
  onSuccess: 'true',
  onFailure: 'true',
  ping: 'http://127.0.0.1:9',
};
const JOB = { name: 'a', exchange: 'deribit', types: 'trades', symbols: 'BTC' };
const IN_JOBS = {
  ...ANYWHERE,
  ...JOB,
  symbolTypes: 'perpetual',
  from: '2024-03-01',
  to: '2024-03-02',
  date: '2024-03-01',
  days: '2024-03',
  last: '3d',
  weekdays: 'mon-fri',
  free: true,
  export: 'freqtrade',
  exportDir: 's3://bucket/prefix',
  exportAs: 'rows',
  baseLatency: '1ms',
  snapshots: 'ignore',
  catalog: 'rust',
  precision: '64',
  pricePrecision: 2,
  sizePrecision: 2,
  instrumentId: 'A.B',
  timeframe: '1m',
  fundingTimeframe: '8h',
  markTimeframe: '8h',
  fundingGrid: '8h',
  pair: 'BTC/USDT',
};
const FILE = 'tickhaul.json';
const withJobs = (settings: object, job: object = {}): string =>
  JSON.stringify({ ...settings, jobs: [{ ...JOB, ...job }] });

/** Loads as a command would; without words, the file of the working folder. */
async function load(
  args: Readonly<Record<string, string>> = {},
  host: Partial<CommandHost> = {},
): Promise<{ readonly file: ConfigFile | undefined; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const file = await loadConfig(args['config'], {
    ...readProcessHost(process),
    env: {},
    home: '/nonexistent',
    stdin: undefined,
    signal: new AbortController().signal,
    commandLine: 'test',
    warn: (message) => void warnings.push(message),
    ...host,
  });
  return { file, warnings };
}

async function isAccepted(name: string, text: string): Promise<void> {
  const { file, warnings } = await load();
  assert.deepEqual([file?.config, warnings], [JSON.parse(text), []], name);
}

async function isNamed(path: string, text: string): Promise<void> {
  for (const [args, host] of [
    [{ config: path }, {}],
    [{}, { env: { TICKHAUL_CONFIG: path } }],
  ] as const) {
    assert.deepEqual((await load(args, host)).file?.config, JSON.parse(text));
  }
}

test('a found file may say what to download, where to and how; only a named one reaches for hosts, secrets and programs', async (t) => {
  const dir = await workingDir(t);
  assert.deepEqual(
    Object.keys({ ...TOP, ...NAMED_ONLY, jobs: [] }).sort(),
    Object.keys(configSchema.shape).sort(),
  );
  assert.deepEqual(Object.keys(IN_JOBS).sort(), Object.keys(jobSchema.shape).sort());
  const accepted = [
    ...Object.entries(TOP).map(([name, value]) => [name, withJobs({ [name]: value })] as const),
    ...Object.entries(IN_JOBS).map(([name, value]) => [name, withJobs({}, { [name]: value })] as const),
  ];
  for (const [name, text] of accepted) {
    await writeFile(FILE, text);
    await isAccepted(name, text);
    await isNamed(FILE, text);
  }
  for (const [name, value] of Object.entries(NAMED_ONLY)) {
    const text = withJobs({ [name]: value });
    await writeFile(FILE, text);
    await assert.rejects(load(), {
      code: 'usage',
      message: new RegExp(`^tickhaul\\.json:1: ${name}: .*--config.*TICKHAUL_CONFIG.*config folder`),
    });
    await isNamed(FILE, text);
    await isNamed(join(dir, FILE), text);
  }
  await writeFile(FILE, withJobs({ ping: 'http://a', dir: 'x', apiUrl: 'http://a' }));
  await assert.rejects(load(), { message: /^tickhaul\.json:1: apiUrl, ping: / });
});

test('merges, anchors and inherited keys do not hide a setting of a found file', async (t) => {
  await workingDir(t);
  const jobs = 'jobs: [{name: a, exchange: deribit, types: trades, symbols: BTC}]\n';
  for (const text of [
    `<<: {apiUrl: "http://a"}\n${jobs}`,
    `? apiUrl\n: "http://a"\n${jobs}`,
    `"\\x61piUrl": "http://a"\n${jobs}`,
    `__proto__: {apiUrl: "http://a"}\n${jobs}`,
  ]) {
    await writeFile('tickhaul.yaml', text);
    await assert.rejects(load(), { code: 'usage', message: /apiUrl|__proto__/ }, text);
  }
});

test('the file in the user’s config folder is a named one, there too', async (t) => {
  const dir = await workingDir(t);
  const text = withJobs(NAMED_ONLY);
  await mkdir('tickhaul');
  await writeFile(join('tickhaul', FILE), text);
  const env = { XDG_CONFIG_HOME: dir };
  assert.deepEqual((await load({}, { env })).file?.config, JSON.parse(text));
  process.chdir('tickhaul');
  assert.deepEqual((await load({}, { env })).file?.config, JSON.parse(text));
  await assert.rejects(load(), { code: 'usage' }, 'only found');
  process.chdir(dir);
  await symlink(join('tickhaul', FILE), FILE);
  await assert.rejects(load({}, { env }), { code: 'usage' }, 'a link to it is only found');
});

const isRoot = process.getuid?.() === 0;
const hasModes = process.platform !== 'win32';
const NOBODY = 65534;
/** Why a file is not to be trusted, with the owner, the group and the mode that a test gives it. */
const UNTRUSTED = [
  { why: /another user \(UID 65534\) owns it/, uid: NOBODY, gid: NOBODY, mode: 0o600, named: true },
  { why: /another user \(UID 65534\) owns it/, uid: NOBODY, gid: NOBODY, mode: 0o664, named: true },
  { why: /another user \(UID 65534\) owns it/, uid: NOBODY, gid: NOBODY, mode: 0o666, named: false },
  { why: /all users may write it/, uid: 0, gid: 0, mode: 0o602, named: false },
  {
    why: /a group other than its owner's \(GID 65534\) may write it/,
    uid: 0,
    gid: NOBODY,
    mode: 0o620,
    named: false,
  },
];

test('does not read a found file that strangers own or may write; a named one that they may write is an error', {
  skip: !isRoot && 'needs root, to give files to others',
}, async (t) => {
  const dir = await workingDir(t);
  const user = join(dir, 'tickhaul');
  await mkdir(user);
  const place = async (path: string, text: string, { uid, gid, mode }: (typeof UNTRUSTED)[number]) => {
    await rm(path, { force: true });
    await writeFile(path, text);
    await chmod(path, mode);
    await chown(path, uid, gid);
  };
  for (const [settings, each] of UNTRUSTED.flatMap((one) =>
    [TOP, NAMED_ONLY].map((of) => [of, one] as const),
  )) {
    const text = withJobs(settings);
    await place(FILE, text, each);
    const { file, warnings } = await load();
    assert.equal(file, undefined);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', new RegExp(`^ignoring tickhaul\\.json: ${each.why.source}`));
    await place(join(user, FILE), text, each);
    const inFolder = load({}, { env: { XDG_CONFIG_HOME: dir } });
    if (each.named) {
      await isNamed(FILE, text);
      assert.deepEqual((await inFolder).file?.config, JSON.parse(text), 'that of the user instead');
      continue;
    }
    await assert.rejects(inFolder, { code: 'usage', message: /may write ".*\/tickhaul\/tickhaul\.json"/ });
    await assert.rejects(load({ config: FILE }), { code: 'usage', message: /^--config: .* chmod go-w / });
    await assert.rejects(load({}, { env: { TICKHAUL_CONFIG: FILE } }), { message: /^TICKHAUL_CONFIG: / });
  }
  await writeFile(join(dir, 'own.json'), withJobs({}));
  await rm(FILE);
  await symlink('own.json', FILE);
  execFileSync('chown', ['-h', String(NOBODY), FILE]);
  const { file, warnings } = await load();
  assert.deepEqual([file, warnings.length], [undefined, 1], 'a link of another user');
});

test('reads files that the owner’s own group may write, as with umask 002', {
  skip: !hasModes,
}, async (t) => {
  await workingDir(t);
  const text = withJobs(TOP);
  await writeFile(FILE, text);
  await chmod(FILE, 0o664);
  await isAccepted('group', text);
  await isNamed(FILE, text);
});

/** Things that bear the name of a config file. */
const IRREGULAR: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['a pipe', async (path) => void execFileSync('mkfifo', [path])],
  ['a folder', async (path) => void (await mkdir(path))],
  ['a device', (path) => symlink('/dev/zero', path)],
  [
    'a link to a pipe',
    async (path) => {
      execFileSync('mkfifo', ['pipe']);
      await symlink('pipe', path);
    },
  ],
];

test('passes over what is not a regular file, without waiting for a writer', {
  skip: !hasModes,
}, async (t) => {
  await workingDir(t);
  for (const [what, create] of IRREGULAR) {
    await create('tickhaul.yaml');
    const { file, warnings } = await load();
    assert.deepEqual([file, warnings], [undefined, ['ignoring tickhaul.yaml: not a regular file']], what);
    await writeFile(FILE, withJobs({}));
    assert.equal((await load()).file?.path, FILE, 'the other format');
    await rm(FILE);
    await rm('tickhaul.yaml', { recursive: true });
  }
});

/** Lists (`@file`) of a job; the first two are in the folder of the config file. */
const LISTS: readonly (readonly [string, boolean])[] = [
  ['@list', true],
  ['@sub/../list', true],
  ['@107', true],
  ['BTC, @../outside', false],
  ['@link', false],
  ['@pipe', false],
];

test('a list of a found file is a file in its folder', { skip: !hasModes }, async (t) => {
  const dir = await lists(t);
  for (const [list, isInside] of [...LISTS, [`@${join(dir, '..', 'outside')}`, false] as const]) {
    for (const [symbols, types] of [
      [list, 'trades'],
      [[list], 'trades'],
      ['BTC', [list]],
    ] as const) {
      const text = withJobs({}, { symbols, types });
      await writeFile(FILE, text);
      if (isInside) await isAccepted(list, text);
      else
        await assert.rejects(load(), {
          code: 'usage',
          message: /is not a file in the folder of the config file/,
        });
      await isNamed(FILE, text);
    }
  }
});

async function lists(t: TestContext): Promise<string> {
  const dir = await workingDir(t);
  await writeFile('outside', 'secret\n');
  const inner = join(dir, 'project');
  await mkdir(join(inner, 'sub'), { recursive: true });
  process.chdir(inner);
  await writeFile('list', 'BTC\n');
  await symlink('../outside', 'link');
  execFileSync('mkfifo', ['pipe']);
  return inner;
}
