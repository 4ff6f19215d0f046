import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import type { ContextWith } from './services.js';
import { tempDir } from './temp.js';

/** Result of one task of an array. */
export interface TaskEnd {
  readonly task: number;
  readonly state: string;
  readonly exitCode: number;
  readonly restarts: number;
}

export interface TestSlurm {
  /** Submits a script and waits for its end. @returns the result of each task. */
  run(script: string, env: Readonly<Record<string, string>>, cwd: string): Promise<readonly TaskEnd[]>;
}

/**
 * A Slurm cluster of one node on loopback, for this test’s user; it ends with the test. Known to work with
 * version 22.05, that of Debian 12, without munge.
 */
export async function startSlurm(t: ContextWith<'slurm'>): Promise<TestSlurm> {
  const dir = await tempDir(t);
  const daemons: ChildProcess[] = [];
  const conf = { SLURM_CONF: join(dir, 'slurm.conf') };
  const ask = async (program: string, args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { env: pathWith(conf), timeout: 15_000 })).stdout.trim();
  const areRunning = (): boolean => daemons.every(isRunning);
  const isIdle = async (): Promise<boolean> => {
    if (!areRunning()) throw new Error('a daemon of Slurm ended');
    return (await ask('squeue', ['-h'])) === '';
  };

  const stop = async (): Promise<void> => {
    for (const daemon of daemons.splice(0)) {
      if (!isRunning(daemon)) continue;
      daemon.kill();
      // Killing the daemons would leave processes of the jobs behind.
      const late = setTimeout(() => daemon.kill('SIGKILL'), 10_000);
      await once(daemon, 'exit');
      clearTimeout(late);
    }
  };
  cleanUp(t, async () => {
    // After a failure, running jobs must not outlive the test.
    if (areRunning()) {
      await ask('scancel', ['--user', userInfo().username]).catch(() => {});
      await waitFor(isIdle, 10_000).catch(() => {});
    }
    await stop();
  });

  const start = async (): Promise<boolean> => {
    await stop();
    await writeFile(conf.SLURM_CONF, configOf(dir, await freePort(), await freePort()));
    for (const program of ['slurmctld', 'slurmd'])
      daemons.push(spawn(program, ['-D'], { env: pathWith(conf), stdio: 'ignore' }));
    const isReady = async (): Promise<boolean> =>
      (await ask('sinfo', ['-h', '-o', '%T']).catch(() => '')) === 'idle';
    await waitFor(async () => !areRunning() || (await isReady()), 20_000).catch(() => {});
    return areRunning() && isReady();
  };
  for (const name of ['state', 'spool']) await mkdir(join(dir, name));
  let tries = 0;
  // Another process may have taken a port.
  while (!(await start())) if (++tries === 3) throw new Error(`Slurm does not start:\n${await logs(dir)}`);

  return {
    async run(script, env, cwd) {
      const { stdout } = await promisify(execFile)('sbatch', ['--parsable', script], {
        env: { ...pathWith(env), ...conf },
        cwd,
      });
      // A task that is requeued stays in the list.
      await waitFor(isIdle, 90_000).catch(async (error: unknown) => {
        throw new Error(`${error}\n${await logs(dir)}`);
      });
      const jobs = await ask('scontrol', ['-o', 'show', 'job', stdout.trim()]);
      return jobs
        .split('\n')
        .map(taskEnd)
        .sort((a, b) => a.task - b.task);
    },
  };
}

/** Adds the folders in which Debian installs the daemons. */
function pathWith(env: Readonly<Record<string, string>>): Record<string, string> {
  const path = env['PATH'] ?? process.env['PATH'] ?? '';
  return { ...env, PATH: [path, '/usr/sbin', '/usr/bin', '/bin'].join(delimiter) };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** Polls, since Slurm sends no notification when something ends. */
async function waitFor(isDone: () => Promise<boolean>, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error(`not done after ${ms / 1000} s`);
    await sleep(200);
  }
}

function taskEnd(job: string): TaskEnd {
  const of = (name: string): string => new RegExp(`(?:^| )${name}=(\\S+)`).exec(job)?.[1] ?? '';
  const number = (name: string): number => Number.parseInt(of(name), 10);
  return {
    task: number('ArrayTaskId'),
    state: of('JobState'),
    exitCode: number('ExitCode'),
    restarts: number('Restarts'),
  };
}

async function logs(dir: string): Promise<string> {
  const texts = ['slurmctld.log', 'slurmd.log'].map((name) =>
    readFile(join(dir, name), 'utf8').catch(() => ''),
  );
  return (await Promise.all(texts)).join('\n');
}

/** @param cred_expire seconds before a job is requeued; the minimum is 5, the default 120. */
function configOf(dir: string, controllerPort: number, nodePort: number): string {
  const [host = ''] = hostname().split('.');
  const { username } = userInfo();
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
StateSaveLocation=${dir}/state
SlurmdSpoolDir=${dir}/spool
SlurmctldPidFile=${dir}/slurmctld.pid
SlurmdPidFile=${dir}/slurmd.pid
SlurmctldLogFile=${dir}/slurmctld.log
SlurmdLogFile=${dir}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=${host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=${host} Default=YES State=UP
`;
}
