import assert from 'node:assert/strict';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { type CliOptions, envOf, type Finished, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { serve } from '../../service/loopback.js';

const JOB = `jobs:
  - name: btc
    exchange: binance-futures
    types: trades
    symbols: BTCUSDT
    last: 3d
`;

interface SetUp {
  /** Folder with the config file. */
  readonly dir: string;
  /** Runs a command with that file, in this process. */
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Finished>;
  /** Runs the built command in that folder. */
  readonly runBuilt: (args: readonly string[], more?: CliOptions) => Promise<Finished>;
}

async function setUp(t: TestContext, service: Sandbox, config: string): Promise<SetUp> {
  const dir = await tempDir(t);
  const path = join(dir, 'tickhaul.yaml');
  await writeFile(path, config);
  const { TICKHAUL_DIR: _, ...base } = envOf(service, dir);
  return {
    dir,
    run: (args, env) => runHere([...args, '--config', path], { env: { ...base, ...env } }),
    runBuilt: (args, more = {}) => tickhaul(args, { cwd: dir, ...more, env: { ...base, ...more.env } }),
  };
}

test('sync downloads what the jobs lack, and emits a plan, each file with its job, and a summary of all jobs', async (t) => {
  const service = await sandbox(t);
  const more = '  - {name: eth, exchange: binance-futures, types: [quotes], symbols: [ETHUSDT], last: 1d}\n';
  const { dir, run, runBuilt } = await setUp(t, service, `dir: data\n${JOB}${more}`);
  const finished = await succeeded(runBuilt(['sync', '--json']));
  const lines = jsonLines(finished);
  assert.deepEqual([lines[0]?.event, lines[0]?.['files'], lines[0]?.['download']], ['plan', 4, 4]);
  assert.deepEqual(
    lines
      .slice(1, -1)
      .map(({ job }) => job)
      .sort(),
    ['btc', 'btc', 'btc', 'eth'],
  );
  const summary = lines.at(-1);
  assert.equal(summary?.event, 'summary');
  assert.deepEqual(
    (summary['jobs'] as Record<string, unknown>[]).map(({ name, exitCode, downloaded }) => [
      name,
      exitCode,
      downloaded,
    ]),
    [
      ['btc', 0, 3],
      ['eth', 0, 1],
    ],
  );
  assert.equal((await namesIn(join(dir, 'data'))).length, 4);
  const again = await run(['sync']);
  assert.match(again.stderr, /^btc: 3 skipped in .*\neth: 1 skipped in .*\n4 skipped in /m);
  assert.ok(again.stderr.endsWith(`\nthe files are in ${join(dir, 'data')}\n`), again.stderr);
  const quiet = await run(['sync', '--quiet']);
  assert.deepEqual([quiet.exitCode, quiet.stdout, quiet.stderr], [0, '', '']);
});

test('a flag overrides the environment, which overrides the config file, which overrides the default', async (t) => {
  const service = await sandbox(t);
  const { dir, run } = await setUp(t, service, `dir: of-config\nconvert: ndjson\n${JOB}    retries: 3\n`);
  const [ofEnv, ofFlag] = [join(dir, 'of-env'), join(dir, 'of-flag')];
  for (const [args, env] of [
    [[], {}],
    [[], { TICKHAUL_DIR: ofEnv }],
    [['--dir', ofFlag, '--convert', 'parquet'], { TICKHAUL_DIR: ofEnv }],
  ] as const) {
    await succeeded(run(['sync', ...args], env));
  }
  const kinds = async (folder: string): Promise<string> =>
    [...new Set((await namesIn(folder)).map((name) => name.replace(/^[^.]*\./, '')))].join(' ');
  assert.equal(await kinds(join(dir, 'of-config')), 'csv.gz ndjson');
  assert.equal(await kinds(ofEnv), 'csv.gz ndjson');
  assert.equal(await kinds(ofFlag), 'csv.gz parquet');
  // Other commands use the file too.
  const download = ['download', 'kraken', '-t', 'trades', '-s', 'XBT-USD', '--date', '2024-03-01'];
  await succeeded(run(download));
  assert.ok((await namesIn(join(dir, 'of-config'))).includes('kraken_trades_2024-03-01_XBT-USD.csv.gz'));
});

test('the config file is the named one, else the local one, else the user’s; its paths are relative to it', async (t) => {
  const service = await sandbox(t);
  const { dir, runBuilt } = await setUp(t, service, 'jobs: broken\n');
  const user = join(dir, '.config', 'tickhaul');
  await mkdir(user, { recursive: true });
  const config = `dir: data\napiKeyFile: key\n${JOB.replace('BTCUSDT', '"@list"')}`;
  await writeFile(join(user, 'tickhaul.yaml'), config);
  await writeFile(join(user, 'list'), 'BTCUSDT\n');
  await writeFile(join(user, 'key'), `${service.apiKey}\n`);
  const env = { TICKHAUL_API_KEY: '', HOME: dir };
  const here = await runBuilt(['sync'], { env });
  assert.equal(here.stderr, 'tickhaul: tickhaul.yaml:1: jobs: expected a list of jobs, found a text\n');
  const named = { ...env, TICKHAUL_CONFIG: '.config/tickhaul/tickhaul.yaml' };
  assert.match((await runBuilt(['sync'], { env: named })).stderr, /3 downloaded/);
  assert.equal((await namesIn(join(user, 'data'))).length, 3);
  assert.match((await runBuilt(['sync'], { env, cwd: user })).stderr, /3 skipped/, 'the one here');
  assert.match(
    (await runBuilt(['sync'], { env, cwd: join(user, 'data') })).stderr,
    /3 skipped/,
    'the user’s',
  );
  await writeFile(join(user, 'tickhaul.yaml'), config.replace('data', '~/mine').replace('key', '~/key'));
  await rename(join(user, 'key'), join(dir, 'key'));
  assert.match((await runBuilt(['sync'], { env, cwd: user })).stderr, /3 downloaded/);
  assert.equal((await namesIn(join(dir, 'mine'))).length, 3, 'a shell would have found it there');
});

test('reports a missing config file', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const named = await runHere(['sync', '--config', 'no.yaml'], { env });
  assert.equal(named.stderr, 'tickhaul: --config: cannot read the config file "no.yaml" (ENOENT)\n');
  const none = await runHere(['sync'], { env });
  assert.match(none.stderr, /^tickhaul: no config file: write \.\/tickhaul\.yaml/);
  assert.deepEqual([named.exitCode, none.exitCode], [2, 2]);
});

/** Contents of the file, with the error before any request. */
const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  [`${JOB}    retrys: 3\n`, [], /tickhaul\.yaml:7: unknown key "retrys"; did you mean retries\?/],
  [`${JOB}    retries: -1\n`, [], /tickhaul\.yaml:7: retries: "-1" is not a whole number/],
  [`maxWait: soon\n${JOB}`, [], /tickhaul\.yaml:1: maxWait: "soon" is not a duration/],
  [`${JOB}    maxRate: fast\n`, [], /tickhaul\.yaml:7: maxRate: "fast" is not a size/],
  [`${JOB}    date: 2024-03-01\n`, [], /tickhaul\.yaml:7: use only one of: date, or last/],
  [
    JOB.replace('last: 3d', 'from: 2024-02-30'),
    [],
    /tickhaul\.yaml:6: from: "2024-02-30" is not a valid calendar date/,
  ],
  [JOB.replace('    last: 3d\n', ''), [], /tickhaul\.yaml:2: no days selected; use from <day>/],
  [
    JOB.replace('BTCUSDT', '"@./none"'),
    [],
    /tickhaul\.yaml:5: symbols: cannot read the file ".*none" \(ENOENT\)/,
  ],
  [`${JOB}    rowGroup: 64k\n`, [], /tickhaul\.yaml:7: rowGroup needs convert/],
  [`timeout: 4h\n${JOB}`, [], /tickhaul\.yaml:1: timeout requires wait/],
  [`apiUrl: api.tardis.dev\n${JOB}`, [], /tickhaul\.yaml:1: apiUrl: "api\.tardis\.dev" is not an address/],
  [`ping: hc.example/secret\n${JOB}`, [], /tickhaul\.yaml:1: ping is not an address; use the form https/],
  [`onSuccess: ''\n${JOB}`, [], /tickhaul\.yaml:1: onSuccess is empty/],
  [`${JOB}    layout: '{date}'\n`, [], /tickhaul\.yaml:7: layout "\{date\}" would give different day files/],
  [JOB, ['--job', 'btx'], /--job: there is no job named "btx"; did you mean btc\?/],
  [JOB, ['--concurrency', '0'], /^tickhaul: --concurrency: "0" is not a whole number/],
];

test('errors in a config file have file, line and setting names instead of flags, with code 2', async (t) => {
  const service = await sandbox(t);
  const { dir, run } = await setUp(t, service, '');
  for (const [config, args, message] of WRONG) {
    await writeFile(join(dir, 'tickhaul.yaml'), config);
    // The URL in the file is only read if no variable overrides it.
    const env: Record<string, string> = config.startsWith('apiUrl') ? { TICKHAUL_API_URL: '' } : {};
    const { exitCode, stderr, stdout } = await run(['sync', '--json', ...args], env);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(jsonLines({ exitCode, stderr, stdout }).at(-1)?.['exitCode'], 2);
    assert.doesNotMatch(stderr, /secret/);
  }
  assert.deepEqual(service.requests, []);
});

test('errors about names that the record lacks have file, line and job', async (t) => {
  const service = await sandbox(t);
  const { run } = await setUp(t, service, `dir: data\n${JOB.replace('BTCUSDT', 'BTCUSTD')}`);
  const { exitCode, stderr } = await run(['sync']);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /^tickhaul: .*tickhaul\.yaml:3: job "btc": unknown symbol "BTCUSTD".*BTCUSDT/);
  assert.ok(service.requests.every(({ host }) => host === 'api'));
});

test('--wait ends with code 7 after --timeout, and downloads what is available', async (t) => {
  const service = await sandbox(t);
  const { dir, run } = await setUp(t, service, `dir: data\n${JOB}`);
  const { exitCode, stderr } = await run(['sync', '--wait', '--timeout', '100ms']);
  assert.equal(exitCode, 7, stderr);
  assert.match(stderr, /is not exported yet \(exported through 2024-03-09\)/);
  assert.equal((await namesIn(join(dir, 'data'))).length, 3);
});

test('hooks and ping are notified of success and failure; their errors are warnings', async (t) => {
  const service = await sandbox(t);
  const pings: string[] = [];
  const origin = await serve(t, (request, response) => {
    pings.push(`${request.method} ${request.url}`);
    response.writeHead(request.url?.includes('broken') ? 404 : 200).end('OK');
  });
  const heard = await tempDir(t);
  const hooks = `onSuccess: cat > ${heard}/good\nonFailure: "cat > ${heard}/bad; echo oh >&2; exit 3"\n`;
  const { run } = await setUp(t, service, `dir: data\n${hooks}ping: ${origin}/s3cret/?a=b\n${JOB}`);
  const read = async (name: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(join(heard, name), 'utf8')) as Record<string, unknown>;

  const good = await succeeded(run(['sync', '--verbose']));
  assert.deepEqual(pings, ['GET /s3cret/start?a=b', 'GET /s3cret?a=b']);
  const reported = await read('good');
  assert.deepEqual([reported['event'], reported['exitCode'], reported['downloaded']], ['summary', 0, 3]);

  const bad = await run(['sync', '--job', 'none']);
  assert.equal(bad.exitCode, 2, bad.stderr);
  assert.match(bad.stderr, /on-failure: the command exited with code 3: oh/);
  assert.deepEqual(pings.slice(2), ['GET /s3cret/start?a=b', 'GET /s3cret/fail?a=b']);
  assert.equal((await read('bad'))['exitCode'], 2);

  const unheard = await succeeded(run(['sync', '--verbose', '--ping', `${origin}/broken/s3cret`]));
  assert.match(unheard.stderr, /warning ping to 127\.0\.0\.1:\d+ failed: HTTP 404/);
  for (const { stdout, stderr } of [good, bad, unheard]) assert.doesNotMatch(stdout + stderr, /s3cret/);
});

test('control characters in the lock of a shared folder do not reach the terminal', async (t) => {
  const { dir, run } = await setUp(t, await sandbox(t), `dir: data\n${JOB}`);
  await mkdir(join(dir, 'data', '.tickhaul'), { recursive: true });
  const holder = { pid: 1, host: '\u001b[2Jthere', started: 'then', command: 'tickhaul sync' };
  await writeFile(join(dir, 'data', '.tickhaul', 'lock'), JSON.stringify(holder));
  for (const flags of [[], ['--lock-timeout', '1ms'], ['--quiet']]) {
    const { exitCode, stderr } = await run(['sync', ...flags]);
    assert.equal(exitCode, 9, stderr);
    assert.match(stderr, /process 1 on \ufffd\[2Jthere since then/);
    assert.ok(!stderr.includes('\u001b'));
  }
});

test('hooks of the flags are notified of a broken config file', async (t) => {
  const { dir, run } = await setUp(t, await sandbox(t), 'jobs: 5\n');
  const { exitCode } = await run(['sync', '--on-failure', `cat > ${dir}/bad`]);
  assert.equal(exitCode, 2);
  assert.match(await readFile(join(dir, 'bad'), 'utf8'), /"message":".*tickhaul\.yaml:1: jobs: expected/);
});
