import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { type Finished, tickhaul } from './helpers/cli.js';
import { assertDone, cluster, SHARDS, WILL_FAIL_AGAIN } from './helpers/cluster.js';
import { projectText, recipe, shell, writeScript } from './helpers/machine.js';
import { nightlyTest } from './helpers/services.js';

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

nightlyTest('Kubernetes: a job that plans, and an indexed one with a pod a shard', async (t) => {
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
  assert.equal(await assertWhole(join(dir, 'volume', 'plan.json'), join(dir, 'volume')), 0);
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

nightlyTest('AWS Batch: an array job, in an image where a shell reads its number', async (t) => {
  const { dir, bin, env, here, plan, assertWhole } = await cluster(t);
  const { retryStrategy, containerProperties } = JSON.parse(
    here(await recipe('aws-batch.json')),
  ) as JobDefinition;
  const { command, secrets, volumes, mountPoints } = containerProperties;
  assert.deepEqual(
    retryStrategy.evaluateOnExit,
    WILL_FAIL_AGAIN.map((code) => ({ onExitCode: String(code), action: 'EXIT' })),
  );
  // AWS Batch limits the number of attempts and rules.
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
    shell(inContainer, { ...env, ...key, AWS_BATCH_JOB_ARRAY_INDEX: String(index) }, bin, [program, flag]),
  );
  (await Promise.all(jobs)).forEach(assertDone);
  assert.equal(await assertWhole(join(dir, 'plan.json'), dir), 0);
});

const NO_PYTHON = spawnSync('python3', ['--version']).status !== 0 && 'needs python3';

nightlyTest(
  'Airflow: a task that plans and one a shard; what would fail again is not tried again',
  {
    skip: NO_PYTHON,
  },
  async (t) => {
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
    assert.equal(await assertWhole(join(dir, 'plan.json'), join(dir, 'data')), 0);
    for (const code of [...WILL_FAIL_AGAIN, 3, 5, 143]) {
      await writeScript(join(bin, 'tickhaul'), `exit ${code}`);
      const end = WILL_FAIL_AGAIN.includes(code) ? 'failed' : 'again';
      assert.equal(await run(), `plan ${end}\n${`shard ${end}\n`.repeat(SHARDS)}`);
    }
  },
);

test('docs/how-to/many-machines.md names the recipes, and the exit codes that they leave', async () => {
  const page = await projectText('docs/how-to/many-machines.md');
  for (const name of [
    ...['kubernetes-plan.yaml', 'kubernetes-shards.yaml', 'slurm.sbatch'],
    ...['aws-batch.json', 'aws-batch.Dockerfile', 'airflow_dag.py'],
  ])
    assert.ok(page.includes(`(../recipes/${name})`), name);
  const [rest, last] = [WILL_FAIL_AGAIN.slice(0, -1), WILL_FAIL_AGAIN.at(-1)];
  assert.equal(page.split(`${rest.join(', ')} and ${last} `).length, 3);
});
