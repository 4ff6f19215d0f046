import assert from 'node:assert/strict';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { envOf, succeeded, tickhaul } from './helpers/cli.js';
import { dayFilesIn, machine, projectText, recipe, shell, writeScript } from './helpers/machine.js';
import { nightlyTest } from './helpers/services.js';

type Texts = Readonly<Record<string, string>>;

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Texts;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Texts;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const ACTION = parse(await projectText('action.yml')) as Action;
const { steps: STEPS } = ACTION.runs;
const CACHE = STEPS.find(({ uses = '' }) => uses.startsWith('actions/cache@'))?.with ?? {};

const filled = (texts: Texts, inputs: Texts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputs[input] ?? ''),
    ]),
  );

test('the action is one of steps, and no input can become a part of a script', () => {
  assert.equal(ACTION.runs.using, 'composite');
  for (const { run, shell: of, uses } of STEPS) {
    if (run === undefined) assert.match(uses ?? '', /^actions\/cache@v\d/);
    else {
      assert.equal(of, 'bash');
      assert.ok(!run.includes('${{'), run);
    }
  }
  const used = [...JSON.stringify(STEPS).matchAll(/inputs\.([\w-]+)/g)].map(([, name = '']) => name);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(ACTION.inputs).sort());
  const ids = STEPS.flatMap(({ id }) => id ?? []);
  for (const { value } of Object.values(ACTION.outputs))
    assert.ok(ids.some((id) => value.includes(`steps.${id}.outputs.`)));
  // The key is in the environment of one step, and nowhere else.
  const withKey = STEPS.filter((step) => JSON.stringify(step).includes('api-key'));
  assert.equal(withKey.length, 1);
  for (const { env = {} } of withKey) assert.match(env['TICKHAUL_API_KEY'] ?? '', /inputs\.api-key/);
});

/** A runner with a checkout and a lock file of three days, whose npm packs and installs the built command. */
async function runner(t: TestContext) {
  const { service, dir, bin } = await machine(t);
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir, '');
  const made = join(dir, 'made');
  const select = 'binance-futures -t trades -s BTCUSDT --from 2024-03-01 --to 2024-03-04'.split(' ');
  for (const args of [
    ['download', ...select, '--dir', made],
    ['lock', '--dir', made, '-o', join(dir, 'tickhaul.lock')],
  ]) {
    await succeeded(tickhaul(args, { env: { ...env, TICKHAUL_API_KEY: service.apiKey } }));
  }
  const programs = join(dir, 'programs');
  const temporary = join(dir, 'runner temp');
  const checkout = join(dir, 'checkout');
  for (const folder of [programs, temporary, checkout]) await mkdir(folder);
  await writeScript(
    join(programs, 'npm'),
    `case "$*" in
      ci) test -e package-lock.json ;;
      "pack --silent --pack-destination "*) touch "$4/tickhaul-0.1.0.tgz" ;;
      "install --global --prefix "*.tgz) test -e "$5" && mkdir -p "$4/bin" && cp '${bin}/tickhaul' "$4/bin" ;;
      *) exit 1 ;;
    esac`,
  );
  const paths = join(dir, 'paths');
  await writeFile(paths, '');
  const around = { RUNNER_TEMP: temporary, GITHUB_PATH: paths };
  const actionPath = new URL('../..', import.meta.url).pathname;

  /** Runs the scripts of some steps as a runner does. */
  const run = async (steps: readonly Step[], inputs: Texts): Promise<void> => {
    for (const { run: script, env: more = {} } of steps) {
      if (script === undefined) continue;
      const found = (await readFile(paths, 'utf8')).trim().split('\n');
      const { exitCode, stderr } = await shell(
        script,
        {
          ...env,
          ...around,
          GITHUB_ACTION_PATH: actionPath,
          PATH: [...found, programs, '/usr/bin', '/bin'].join(':'),
          ...filled(more, inputs),
        },
        checkout,
        ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'],
      );
      assert.equal(exitCode, 0, `${script}: ${stderr}`);
    }
  };
  const lock = (await readFile(join(dir, 'tickhaul.lock'), 'utf8')).split(/(?<=\n)/);
  return { service, checkout, lock, run };
}

nightlyTest(
  'the workflow of the docs: without a cache, with it, which asks for no day file, and after the lock file lost one',
  async (t) => {
    const { service, checkout, lock, run } = await runner(t);
    const { jobs } = parse(await recipe('github-actions.yml')) as {
      jobs: { test: { steps: readonly Step[] } };
    };
    const steps = jobs.test.steps.flatMap((step) => {
      if (!/\/tickhaul@/.test(step.uses ?? '')) return [step];
      assert.deepEqual(Object.keys(step.with ?? {}).sort(), Object.keys(ACTION.inputs).sort());
      return STEPS;
    });
    assert.ok(steps.length > STEPS.length);
    const inputs = {
      'lock-file': 'tickhaul.lock',
      dir: 'datasets',
      'api-key': service.apiKey,
      'fail-on': 'corrupt',
    };
    assert.match(CACHE['key'] ?? '', /\$\{\{ hashFiles\(inputs\.lock-file\) \}\}$/);
    assert.equal(CACHE['restore-keys'], undefined);
    assert.equal(filled(CACHE, inputs)['path'], 'datasets');
    const asked = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
    for (const [lines, fetched] of [
      [lock, 3],
      [lock, 0],
      [lock.toSpliced(1, 1), 2],
    ] as const) {
      // Another lock file has another cache.
      if (lines !== lock) await rm(join(checkout, 'datasets'), { recursive: true });
      await writeFile(join(checkout, 'tickhaul.lock'), lines.join(''));
      const before = asked();
      await run(steps, inputs);
      assert.equal(asked() - before, fetched);
    }
  },
);

nightlyTest(
  'inputs that a shell or a flag would read otherwise are names of a file and a folder',
  async (t) => {
    const { service, checkout, lock, run } = await runner(t);
    const inputs = {
      'lock-file': '--help; touch a',
      dir: '-o $(touch b) `touch c` "',
      'api-key': service.apiKey,
      'fail-on': '',
    };
    await writeFile(join(checkout, inputs['lock-file']), lock.join(''));
    await run(STEPS, inputs);
    assert.equal(await dayFilesIn(join(checkout, inputs.dir)), 3);
    for (const name of ['a', 'b', 'c']) await assert.rejects(access(join(checkout, name)));
  },
);

nightlyTest('the input fail-on audits the files, and fails the step', async (t) => {
  const { service, checkout, lock, run } = await runner(t);
  const inputs = { 'lock-file': 'tickhaul.lock', dir: 'datasets', 'api-key': service.apiKey, 'fail-on': '' };
  await writeFile(join(checkout, 'tickhaul.lock'), lock.join(''));
  await run(STEPS, inputs);
  const log = join(checkout, 'datasets/.tickhaul/audit.jsonl');
  await assert.rejects(access(log), 'nothing is audited without it');
  await run(STEPS, { ...inputs, 'fail-on': 'degraded,corrupt' });
  assert.equal((await readFile(log, 'utf8')).trimEnd().split('\n').length, 3);
  await assert.rejects(
    run(STEPS, { ...inputs, 'fail-on': 'available' }),
    /3 days with a condition or a failed check among: available/,
  );
  await assert.rejects(run(STEPS, { ...inputs, 'fail-on': '$(touch d)' }), /is not a known name/);
  await assert.rejects(access(join(checkout, 'd')));
});
