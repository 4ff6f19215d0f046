import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { dayFileOfName } from '../src/dataset/day-file-name.js';
import { shardOf } from '../src/dataset/shard.js';
import type { SandboxOptions } from '../src/sandbox/options.js';
import { openManifest } from '../src/store/manifest/manifest.js';
import { BIN, type Finished, jsonLines, tickhaul } from './helpers/cli.js';
import { runHere } from './helpers/in-process.js';
import { machine, projectText, recipe, shell, writeScript } from './helpers/machine.js';
import { NO_SLURM, startSlurm } from './helpers/slurm.js';
import { tempDir } from './helpers/temp.js';

const SHARDS = 2;
/** Exit codes after which another try would come to the same: in all recipes, and in docs/scale.md. */
const WILL_FAIL_AGAIN = [1, 2, 4, 8];

interface Cluster {
  readonly dir: string;
  readonly bin: string;
  readonly env: Record<string, string>;
  /** The text of a recipe with the folders of this machine, two shards and two days. */
  readonly here: (text: string) => string;
  /** Makes the plan as the recipe of Slurm says. */
  plan(): Promise<void>;
  /** All that was planned is there, asked for once and recorded once. */
  assertWhole(pinned: string, data: string): Promise<void>;
}

/** A machine whose /shared all jobs see. */
async function cluster(t: TestContext, options: SandboxOptions = {}): Promise<Cluster> {
  const { service, dir, bin, here: paths } = await machine(t, { rows: 50, ...options });
  const { apiUrl, datasetsUrl, requests } = service;
  const env = {
    TICKHAUL_API_URL: apiUrl,
    TICKHAUL_DATASETS_URL: datasetsUrl,
    XDG_CACHE_HOME: dir,
    PATH: `${bin}:/usr/bin:/bin`,
  };
  const here = (text: string): string =>
    paths(text)
      .replaceAll('/shared', dir)
      .replaceAll('/200', `/${SHARDS}`)
      .replace(/--last(,?) 30d/, '--last$1 2d');
  return {
    dir,
    bin,
    env,
    here,
    async plan() {
      const [, line = ''] = /^# +(tickhaul plan .*)$/m.exec(here(await recipe('slurm.sbatch'))) ?? [];
      assertDone(await shell(line, env));
    },
    async assertWhole(pinned, data) {
      const again = await runHere(['plan', '--pinned', pinned, '--dir', data, '--json'], { env });
      const [plan] = jsonLines(again);
      const manifest = await openManifest(data, { warn: assert.fail });
      const paths = [...manifest.records()].map(({ path }) => path);
      await manifest.close();
      assert.ok(paths.length >= 4 && paths.every((path) => path.startsWith('exchange=')));
      assert.deepEqual([plan?.['files'], plan?.['skip']], [paths.length, paths.length], again.stderr);
      const asked = requests.filter(({ host }) => host === 'datasets').map(({ url }) => url);
      assert.equal(new Set(asked).size, paths.length);
      assert.equal(new Set(paths).size, paths.length);
    },
  };
}

const assertDone = ({ exitCode, stderr }: Finished): void => assert.equal(exitCode, 0, stderr);

interface Job {
  readonly spec: {
    readonly completionMode: string;
    readonly completions: number;
    readonly backoffLimitPerIndex: number;
    readonly podFailurePolicy: {
      readonly rules: readonly {
        readonly action: string;
        readonly onExitCodes?: { readonly containerName: string; readonly values: readonly number[] };
      }[];
    };
    readonly template: { readonly spec: PodSpec };
  };
}

interface PodSpec {
  readonly restartPolicy: string;
  readonly containers: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly env?: readonly { readonly name: string; readonly value: string }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

test('Kubernetes: a job that plans, and an indexed one with a pod a shard', async (t) => {
  const { dir, env, here, assertWhole } = await cluster(t);
  const documents = parseAllDocuments(here(await recipe('kubernetes-plan.yaml')));
  const [claim, planning] = documents.map((one) => one.toJS()) as [{ metadata: { name: string } }, Job];
  const asWritten = (parse(await recipe('kubernetes-shards.yaml')) as Job).spec;
  const { spec } = parse(here(await recipe('kubernetes-shards.yaml'))) as Job;
  const [container] = asWritten.template.spec.containers;
  assert.equal(asWritten.completionMode, 'Indexed');
  assert.ok(container?.args.includes(`$(JOB_COMPLETION_INDEX)/${asWritten.completions}`));
  assert.ok(asWritten.backoffLimitPerIndex > 0);
  const [failing] = spec.podFailurePolicy.rules.filter(({ action }) => action === 'FailIndex');
  assert.deepEqual(failing?.onExitCodes?.values, WILL_FAIL_AGAIN);
  assert.equal(failing?.onExitCodes?.containerName, container?.name);

  const mounted: Record<string, string> = { '/data': join(dir, 'volume'), '/run/secrets/tickhaul': dir };
  await mkdir(join(dir, 'volume'));
  const run = ({ template }: Job['spec'], index: number): Promise<Finished> => {
    const { containers, volumes, restartPolicy } = template.spec;
    const [{ args = [], env: given = [], volumeMounts = [] } = {}] = containers;
    // Else neither rules nor limits an index hold.
    assert.equal(restartPolicy, 'Never');
    for (const { name } of volumeMounts)
      assert.ok(
        volumes.some((volume) => volume.name === name),
        name,
      );
    for (const { persistentVolumeClaim } of volumes)
      if (persistentVolumeClaim) assert.equal(persistentVolumeClaim.claimName, claim.metadata.name);
    const inPod = (text: string): string =>
      Object.entries(mounted)
        .reduce((all, [path, folder]) => all.replace(path, folder), text)
        .replace('$(JOB_COMPLETION_INDEX)', String(index));
    const own = Object.fromEntries(given.map(({ name, value }) => [name, inPod(value)]));
    return tickhaul(args.map(inPod), { env: { ...env, ...own } });
  };
  assertDone(await run(planning.spec, 0));
  (await Promise.all([0, 1].map((index) => run(spec, index)))).forEach(assertDone);
  await assertWhole(join(dir, 'volume', 'plan.json'), join(dir, 'volume'));
});

interface JobDefinition {
  readonly retryStrategy: {
    readonly attempts: number;
    readonly evaluateOnExit: readonly { readonly onExitCode: string; readonly action: string }[];
  };
  readonly containerProperties: {
    readonly command: readonly [string, string, string];
    readonly secrets: readonly { readonly name: string }[];
    readonly volumes: readonly { readonly name: string }[];
    readonly mountPoints: readonly { readonly sourceVolume: string; readonly containerPath: string }[];
  };
}

test('AWS Batch: an array job, in an image where a shell reads its number', async (t) => {
  const { dir, env, here, plan, assertWhole } = await cluster(t);
  const { retryStrategy, containerProperties } = JSON.parse(
    here(await recipe('aws-batch.json')),
  ) as JobDefinition;
  const { command, secrets, volumes, mountPoints } = containerProperties;
  assert.deepEqual(
    retryStrategy.evaluateOnExit,
    WILL_FAIL_AGAIN.map((code) => ({ onExitCode: String(code), action: 'EXIT' })),
  );
  // What Batch takes: at most so many tries and rules.
  assert.ok(retryStrategy.attempts <= 10 && retryStrategy.evaluateOnExit.length <= 5);
  assert.deepEqual(
    mountPoints.map(({ sourceVolume }) => sourceVolume),
    volumes.map(({ name }) => name),
  );
  assert.match(await recipe('aws-batch.Dockerfile'), /^FROM tickhaul\nENTRYPOINT \[\]\n$/m);

  await plan();
  const [program, flag, line] = command;
  const inContainer = mountPoints.reduce(
    (all, { containerPath }) => all.replaceAll(containerPath, dir),
    line,
  );
  const key = { [secrets[0]?.name ?? '']: await readFile(join(dir, 'key'), 'utf8') };
  const jobs = [0, 1].map((index) =>
    shell(inContainer, { ...env, ...key, AWS_BATCH_JOB_ARRAY_INDEX: String(index) }, dir, [program, flag]),
  );
  (await Promise.all(jobs)).forEach(assertDone);
  await assertWhole(join(dir, 'plan.json'), dir);
});

const NO_PYTHON = spawnSync('python3', ['--version']).status !== 0 && 'needs python3';

test('Airflow: a task that plans and one a shard; what would fail again is not tried again', {
  skip: NO_PYTHON,
}, async (t) => {
  const { dir, bin, env, here, assertWhole } = await cluster(t);
  const dag = join(dir, 'dag.py');
  await writeFile(dag, here(await recipe('airflow_dag.py')).replace('SHARDS = 20', `SHARDS = ${SHARDS}`));
  const airflow = join(dir, 'airflow.py');
  await writeFile(airflow, await projectText('test/helpers/airflow.py'));
  const run = async (): Promise<string> => {
    const { stdout, stderr } = await tickhaul([], { command: ['python3', airflow, dag], env });
    assert.ok(!stderr.includes('Traceback'), stderr);
    return stdout;
  };
  assert.equal(await run(), 'plan success\nshard success\nshard success\n');
  await assertWhole(join(dir, 'plan.json'), join(dir, 'data'));
  for (const code of [...WILL_FAIL_AGAIN, 3, 5, 143]) {
    await writeScript(join(bin, 'tickhaul'), `exit ${code}`);
    const end = WILL_FAIL_AGAIN.includes(code) ? 'failed' : 'again';
    assert.equal(await run(), `plan ${end}\n${`shard ${end}\n`.repeat(SHARDS)}`);
  }
});

test('Slurm: the script asks for another try where one helps, five times at most', async (t) => {
  const dir = await tempDir(t);
  const script = join(dir, 'slurm.sbatch');
  await writeFile(script, await recipe('slurm.sbatch'));
  await writeScript(join(dir, 'scontrol'), 'echo "$@"');
  const run = async (code: string, restarts: string): Promise<string> => {
    await writeScript(
      join(dir, 'tickhaul'),
      `case "$*" in *' --shard 7/200 '*) ;; *) exit 0 ;; esac\n${code}`,
    );
    const env = { PATH: `${dir}:/usr/bin:/bin`, HOME: dir, SLURM_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '7' };
    const ended = await shell(`exec sh '${script}'`, {
      ...env,
      ...(restarts && { SLURM_RESTART_COUNT: restarts }),
    });
    return `${ended.exitCode} ${ended.stdout}`.trim();
  };
  for (const code of [0, ...WILL_FAIL_AGAIN]) assert.equal(await run(`exit ${code}`, ''), String(code));
  for (const code of [3, 5, 6, 7, 9]) assert.equal(await run(`exit ${code}`, ''), `${code} requeue 12`);
  assert.equal(await run('kill -9 $$', '4'), '137 requeue 12');
  assert.equal(await run('exit 5', '5'), '5');
});

test('Slurm itself: an array whose shards bring each file once; one that is killed is begun again', {
  skip: NO_SLURM,
}, async (t) => {
  let kill = (): void => {};
  const onRequest: SandboxOptions['onRequest'] = ({ host, url }) => {
    const [, exchange = '', type = '', day = '', symbol = ''] =
      /^\/v1\/([^/]+)\/([^/]+)\/(\d+\/\d+\/\d+)\/(.*)$/.exec(url) ?? [];
    const name = [exchange, type, day.replaceAll('/', '-'), symbol].join('_');
    if (host === 'datasets' && shardOf(dayFileOfName(name), SHARDS) === 1) kill();
  };
  const { dir, env, here, plan, assertWhole } = await cluster(t, { onRequest });
  const slurm = await startSlurm(t);
  const script = join(dir, 'slurm.sbatch');
  await writeFile(
    script,
    here(await recipe('slurm.sbatch')).replace('--array=0-199', `--array=0-${SHARDS - 1}`),
  );
  const pid = (task: number): string => join(dir, `pid-${task}`);
  await writeScript(
    join(dir, 'bin', 'tickhaul'),
    `[ -z "$SLURM_ARRAY_TASK_ID" ] || echo $$ >"${pid(0).slice(0, -1)}$SLURM_ARRAY_TASK_ID"
    exec '${process.execPath}' '${BIN}' "$@"`,
  );
  const key = join(dir, '.config', 'tickhaul', 'key');
  await mkdir(join(dir, '.config', 'tickhaul'), { recursive: true });
  await plan();

  await writeFile(key, 'not-the-right-one');
  const run = () => slurm.run(script, { ...env, HOME: dir }, dir);
  const task = (index: number, more: object = {}) => ({
    task: index,
    state: 'COMPLETED',
    exitCode: 0,
    restarts: 0,
    ...more,
  });
  const refused = { state: 'FAILED', exitCode: 4 };
  assert.deepEqual(await run(), [task(0, refused), task(1, refused)]);

  await writeFile(key, await readFile(join(dir, 'key')));
  kill = () => {
    kill = () => {};
    process.kill(Number(readFileSync(pid(1), 'utf8')), 'SIGKILL');
  };
  assert.deepEqual(await run(), [task(0), task(1, { restarts: 1 })]);
  await assertWhole(join(dir, 'plan.json'), join(dir, 'data'));
});
