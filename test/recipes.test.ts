import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'yaml';
import { dayOfMs } from '../src/dataset/day.js';
import type { Sandbox } from '../src/sandbox/options.js';
import { BIN, envOf, type Finished, tickhaul } from './helpers/cli.js';
import { sandbox } from './helpers/sandbox.js';
import { tempDir } from './helpers/temp.js';

const recipe = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/recipes/${name}`, import.meta.url), 'utf8');

interface Machine {
  readonly service: Sandbox;
  readonly dir: string;
  /** Stands for /usr/local/bin. */
  readonly bin: string;
  /** The text of a recipe with the paths of this machine. */
  readonly here: (text: string) => string;
}

/** A machine for the recipes: the built command, their config file and key, and a service that has yesterday. */
async function machine(t: TestContext): Promise<Machine> {
  const service = await sandbox(t, { exportedUntil: dayOfMs(Date.now()) });
  const dir = await tempDir(t);
  const bin = join(dir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'tickhaul'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await writeFile(join(bin, 'npm'), '#!/bin/sh\nexit 0\n');
  for (const name of await readdir(bin)) await chmod(join(bin, name), 0o755);
  const here = (text: string): string =>
    text
      .replaceAll('/usr/local/bin', bin)
      .replaceAll('/etc/tickhaul', dir)
      .replaceAll('/var/lib/tickhaul', join(dir, 'data'));
  const config = here(await recipe('tickhaul.yaml'))
    // A night's work, and not all nights since then.
    .replace('from: 2024-03-01', 'last: 1d')
    .replace('last: 7d', 'last: 1d');
  const addresses = `apiUrl: ${service.apiUrl}\ndatasetsUrl: ${service.datasetsUrl}\n`;
  await writeFile(join(dir, 'tickhaul.yaml'), addresses + config);
  await writeFile(join(dir, 'key'), service.apiKey);
  return { service, dir, bin, here };
}

const dayFilesIn = async (dir: string): Promise<number> =>
  (await readdir(dir)).filter((name) => name.endsWith('.csv.gz')).length;

/** Runs a line in a shell that knows as little as cron's. */
function shell(line: string, env: Record<string, string>, cwd = tmpdir()): Promise<Finished> {
  return tickhaul([], { command: ['/bin/sh', '-ec', line], env: { PATH: '/usr/bin:/bin', ...env }, cwd });
}

test('the crontab line', async (t) => {
  const { dir, here } = await machine(t);
  const line =
    here(await recipe('crontab'))
      .split('\n')
      .find((text) => /^\d/.test(text)) ?? '';
  const command = /^(?:\S+ ){5}(.*)$/.exec(line)?.[1] ?? '';
  for (let night = 0; night < 2; night++) {
    const { exitCode, stdout, stderr } = await shell(command, { XDG_CACHE_HOME: dir });
    assert.deepEqual([exitCode, stdout, stderr], [0, '', ''], 'no mail');
  }
  assert.equal(await dayFilesIn(join(dir, 'data')), 4 + 2);
});

test('the systemd service and its timer', async (t) => {
  const { dir, here } = await machine(t);
  const unit = here(await recipe('tickhaul.service'));
  const timer = await recipe('tickhaul.timer');
  await writeFile(join(dir, 'tickhaul.service'), unit);
  await writeFile(join(dir, 'tickhaul.timer'), timer);
  const said = analyzed(join(dir, 'tickhaul.service'), join(dir, 'tickhaul.timer'));
  if (said !== undefined) assert.equal(said, '');
  const setting = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  assert.deepEqual(setting('User'), ['tickhaul']);
  const specifiers: Record<string, string> = { '%S': join(dir, 'state'), '%C': dir, '%d': dir };
  const pairs = setting('Environment').map((pair) =>
    pair.replace(/%[SCd]/, (found) => specifiers[found] ?? ''),
  );
  const env = Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
  const { exitCode, stderr } = await shell(setting('ExecStart')[0] ?? '', env);
  assert.equal(exitCode, 0, stderr);
  assert.equal(await dayFilesIn(join(dir, 'state', 'tickhaul')), 4 + 2);
});

/** What systemd finds wrong; undefined where it isn't installed. */
function analyzed(...units: readonly string[]): string | undefined {
  try {
    return execFileSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    return code === 'ENOENT' ? undefined : stderr;
  }
}

test('the container: not root, no key inside, and its command works by its environment', async (t) => {
  const { dir, bin } = await machine(t);
  const lines = (await recipe('Dockerfile')).replace(/\\\n/g, ' ').split('\n');
  const instruction = (name: string): string =>
    lines
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length)
      .trim() ?? '';
  assert.equal(instruction('USER'), 'node');
  const copied = lines.filter((line) => /^(COPY|ADD)\b/.test(line));
  assert.deepEqual(copied, [], 'nothing of the folder that it is built in comes in');
  const places = {
    '/config': dir,
    '/run/secrets/tickhaul-key': join(dir, 'key'),
    '/data': join(dir, 'volume'),
  };
  const env = Object.fromEntries(
    instruction('ENV')
      .split(/\s+/)
      .map((pair) => pair.split('=', 2) as [string, string])
      .map(([name, value]) => [
        name,
        Object.entries(places).reduce((text, [from, to]) => text.replace(from, to), value),
      ]),
  );
  assert.deepEqual(
    Object.keys(env).filter((name) => /KEY/.test(name)),
    ['TICKHAUL_API_KEY_FILE'],
  );
  const words = ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(instruction(name)) as string[]);
  const { exitCode, stderr } = await shell(words.join(' '), { ...env, PATH: `${bin}:/usr/bin:/bin` });
  assert.equal(exitCode, 0, stderr);
  assert.equal(await dayFilesIn(join(dir, 'volume')), 4 + 2);
});

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

test('the steps of the workflow: without a cache, with it, which asks for no day file, and after the lock file lost one', async (t) => {
  const { service, dir, bin } = await machine(t);
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir, '');
  const made = join(dir, 'made');
  const select = [
    'binance-futures',
    '-t',
    'trades',
    '-s',
    'BTCUSDT',
    '--from',
    '2024-03-01',
    '--to',
    '2024-03-04',
  ];
  for (const args of [
    ['download', ...select, '--dir', made],
    ['lock', '--dir', made, '-o', join(dir, 'tickhaul.lock')],
  ]) {
    const { exitCode, stderr } = await tickhaul(args, { env: { ...env, TICKHAUL_API_KEY: service.apiKey } });
    assert.equal(exitCode, 0, stderr);
  }
  const { jobs } = parse(await recipe('github-actions.yml')) as {
    jobs: { test: { steps: readonly Step[] } };
  };
  const checkout = join(dir, 'checkout');
  await mkdir(checkout);
  const lock = (await readFile(join(dir, 'tickhaul.lock'), 'utf8')).split(/(?<=\n)/);
  const cache = jobs.test.steps.find(({ uses = '' }) => uses.startsWith('actions/cache'))?.with ?? {};
  assert.match(cache['key'] ?? '', /hashFiles\('tickhaul\.lock'\)/);
  const asked = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
  for (const [lines, fetched] of [
    [lock, 3],
    [lock, 0],
    [lock.toSpliced(1, 1), 2],
  ] as const) {
    const isOther = lines !== lock;
    if (isOther && cache['restore-keys'] === undefined)
      await rm(join(checkout, cache['path'] ?? ''), { recursive: true });
    await writeFile(join(checkout, 'tickhaul.lock'), lines.join(''));
    const before = asked();
    for (const step of jobs.test.steps) {
      if (step.run === undefined) continue;
      const secrets = Object.entries(step.env ?? {}).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ secrets\.TICKHAUL_API_KEY \}\}/, service.apiKey),
      ]);
      const all = {
        ...env,
        PATH: `${bin}:/usr/bin:/bin`,
        ...(Object.fromEntries(secrets) as Record<string, string>),
      };
      const { exitCode, stderr } = await shell(step.run, all, checkout);
      assert.equal(exitCode, 0, `${step.run}: ${stderr}`);
    }
    assert.equal(asked() - before, fetched);
  }
});

test('a month of bars, and the query over them', async (t) => {
  const service = await sandbox(t, { rows: 40 });
  const dir = await tempDir(t);
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir);
  const command = (await recipe('bars.sh')).replace('exec tickhaul', `exec '${process.execPath}' '${BIN}'`);
  const { exitCode, stderr } = await shell(command, env, dir);
  assert.equal(exitCode, 0, stderr);
  const days = await readdir(join(dir, 'bars'));
  assert.equal(days.filter((name) => /_trade_bar_1m_.*_PERPETUALS\.parquet$/.test(name)).length, 9);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const query = (await recipe('bars.sql')).replace("'bars/", `'${dir}/bars/`);
  const rows = (await connection.runAndReadAll(query)).getRowObjects();
  connection.closeSync();
  instance.closeSync();
  assert.equal(rows.length, 10);
  for (const { symbol, turnover, first, last, percent } of rows) {
    assert.match(String(symbol), /USDT$/);
    assert.ok(Number(turnover) > 0 && Number(first) > 0 && Number(last) > 0);
    assert.ok(Math.abs(Number(percent)) < 30);
  }
});

test('docs/computed.md shows the recipes as they stand in their files', async () => {
  const page = await readFile(new URL('../../docs/computed.md', import.meta.url), 'utf8');
  for (const [name, shown] of [
    ['bars.sh', /^exec (tickhaul .*)$/ms],
    ['bars.sql', /^(SELECT.*)$/ms],
    ['hours.py', /^(import .*)\nprint/ms],
    ['plot.py', /^(.*)$/s],
  ] as const) {
    const [, text = ''] = shown.exec(await recipe(name)) ?? [];
    assert.ok(text.length > 100, name);
    assert.ok(page.includes(text.trimEnd().replace(/^(?=.)/gm, '    ')), name);
  }
});
