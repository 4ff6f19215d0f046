import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDayFileName } from '../src/day-files/day-file.js';
import { shardIndex } from '../src/day-files/shard.js';
import type { SandboxOptions } from '../src/sandbox/sandbox-options.js';
import { BIN } from './helpers/cli.js';
import { cluster, SHARDS, WILL_FAIL_AGAIN } from './helpers/cluster.js';
import { recipe, shell, writeScript } from './helpers/machine.js';
import { slurmTest } from './helpers/services.js';
import { startSlurm } from './helpers/slurm.js';
import { tempDir } from './helpers/temp.js';

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
    const env = {
      PATH: `${dir}:/usr/bin:/bin`,
      HOME: dir,
      SLURM_ARRAY_JOB_ID: '12',
      SLURM_ARRAY_TASK_ID: '7',
    };
    const ended = await shell(`exec sh '${script}'`, {
      ...env,
      ...(restarts && { SLURM_RESTART_COUNT: restarts }),
    });
    return `${ended.exitCode} ${ended.stdout}`.trim();
  };
  for (const code of [0, ...WILL_FAIL_AGAIN]) assert.equal(await run(`exit ${code}`, ''), String(code));
  for (const code of [3, 5, 6, 7, 9]) assert.equal(await run(`exit ${code}`, ''), `${code} requeue 12_7`);
  assert.equal(await run('kill -9 $$', '4'), '137 requeue 12_7');
  assert.equal(await run('exit 5', '5'), '5');
});

slurmTest(
  'Slurm itself: an array whose shards bring each file once; one that is killed is begun again',
  async (t) => {
    let kill = (): void => {};
    const onRequest: SandboxOptions['onRequest'] = ({ host, url }) => {
      const [, exchange = '', type = '', day = '', symbol = ''] =
        /^\/v1\/([^/]+)\/([^/]+)\/(\d+\/\d+\/\d+)\/(.*)$/.exec(url) ?? [];
      const name = [exchange, type, day.replaceAll('/', '-'), decodeURIComponent(symbol)].join('_');
      if (host === 'datasets' && shardIndex(parseDayFileName(name), SHARDS) === 1) kill();
    };
    const { dir, bin, env, here, plan, assertWhole } = await cluster(t, { onRequest });
    const slurm = await startSlurm(t);
    const script = join(dir, 'slurm.sbatch');
    await writeFile(
      script,
      here(await recipe('slurm.sbatch')).replace('--array=0-199', `--array=0-${SHARDS - 1}`),
    );
    await writeScript(
      join(bin, 'tickhaul'),
      `echo $$ >"${dir}/pid-$SLURM_ARRAY_TASK_ID"; exec '${process.execPath}' '${BIN}' "$@"`,
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
      process.kill(Number(readFileSync(join(dir, 'pid-1'), 'utf8')), 'SIGKILL');
    };
    assert.deepEqual(await run(), [task(0), task(1, { restarts: 1 })]);
    assert.ok((await assertWhole(join(dir, 'plan.json'), join(dir, 'data'))) > 0);
  },
);
