import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { KEY_VARIABLES, readKey, readVariable } from '../../commands/settings.js';
import { readProxySettings } from '../../http/proxy-settings.js';
import { bugStack, toRunFailure } from '../../run/run-failure.js';
import type { PrimaryLink } from '../../server/cluster/connect-to-primary.js';
import type { RunningCluster } from '../../server/cluster/start-cluster.js';
import type { CliHost, CommandArgs } from '../arguments/command.js';
import { readServeSettings, type ServeSettings } from './serve-options.js';
import { withServeOptions } from './with-options.js';

/** By which a process knows that it is a worker of ours: there are managers that start any program as a worker of theirs. */
const VARIABLE = 'TICKHAUL_SERVE_WORKER';
/** So that there is one left where another ends. */
const FEWEST = 2;

/** This process as a worker; undefined where it is none. */
export function ownWorker({ env }: CliHost): Worker | undefined {
  return readVariable(env, VARIABLE) === undefined ? undefined : cluster.worker;
}

/** @param prepare done once, when the ports are its own. @throws as `startCluster`. */
export async function startWorkers(
  args: CommandArgs,
  cli: CliHost,
  { feeds, options }: ServeSettings,
  prepare: () => Promise<void>,
): Promise<RunningCluster> {
  // What would end each worker is said once.
  readProxySettings(cli.env);
  const apiKey = await readKey(feeds.settings.keySource, cli.stdin, cli.signal);
  // What a worker is told over its channel is in neither its arguments nor its environment.
  const input: CommandArgs = { ...args, 'api-key': apiKey };
  const { startCluster } = await import('../../server/cluster/start-cluster.js');
  cluster.setupPrimary({ args: ['serve'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port, host, maxClients, memory, log } = options;
  // What is given here stands over the environment that they inherit; empty is as not set.
  const withoutKey = Object.fromEntries(KEY_VARIABLES.map((name) => [name, '']));
  const fork = (): Worker => cluster.fork({ ...withoutKey, [VARIABLE]: 'true' });
  return startCluster({
    port,
    host,
    maxClients,
    memory,
    log,
    size: Math.max(FEWEST, availableParallelism()),
    input,
    fork,
    prepare,
  });
}

/** Serves what the primary process hands over, until that ends it. @returns the exit code. */
export async function serveAsWorker(worker: Worker, cli: CliHost): Promise<number> {
  // Ctrl-C and service managers reach all processes; the primary one lets its workers end.
  cli.passSignals(() => {});
  const { connectToPrimary } = await import('../../server/cluster/connect-to-primary.js');
  const primary = await connectToPrimary(worker);
  const exitCode = await serveFor(primary, cli).catch(async (error: unknown) => {
    const stack = bugStack(error);
    if (stack !== undefined) cli.warn(stack);
    const failure = toRunFailure(error);
    await primary.fail(failure.error);
    return failure.exitCode;
  });
  // Its channel would keep the process.
  worker.disconnect();
  return exitCode;
}

async function serveFor({ input, share, serve }: PrimaryLink, cli: CliHost): Promise<number> {
  const args = input as CommandArgs;
  const { createReplayServer } = await import('../../server/replay-server.js');
  return withServeOptions(args, cli, await readServeSettings(args, cli), async (options, countIn) => {
    const server = createReplayServer({ ...options, cluster: share });
    countIn(server.serving);
    await serve(server);
    return 0;
  });
}
