import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { given, KEY_VARIABLES, readKey } from '../../commands/environment.js';
import { proxiesOf } from '../../http/proxy-env.js';
import type { RunningCluster } from '../../server/cluster/primary.js';
import type { Args, Cli } from '../arguments/types.js';
import { readServeSettings, type ServeSettings } from './serve-options.js';
import { withServeOptions } from './with-options.js';

/** By which a process knows that it is a worker of ours: there are managers that start any program as a worker of theirs. */
const VARIABLE = 'TICKHAUL_SERVE_WORKER';
/** So that there is one left where another ends. */
const FEWEST = 2;

/** What a worker is told, over its channel: the key is in neither its arguments nor its environment. */
interface WorkerInput {
  readonly args: Args;
  readonly workers: number;
}

/** This process as a worker; undefined where it is none. */
export function ownWorker({ env }: Cli): Worker | undefined {
  return given(env, VARIABLE) === undefined ? undefined : cluster.worker;
}

/** @param prepare done once, when the ports are its own. @throws as `startCluster`. */
export async function startWorkers(
  args: Args,
  cli: Cli,
  { feeds, options }: ServeSettings,
  prepare: () => Promise<void>,
): Promise<RunningCluster> {
  // What would end each worker is said once.
  proxiesOf(cli.env);
  const apiKey = await readKey(feeds.settings.keySource, cli.stdin, cli.signal);
  const workers = Math.max(FEWEST, availableParallelism());
  const input: WorkerInput = { args: { ...args, 'api-key': apiKey }, workers };
  const { startCluster } = await import('../../server/cluster/primary.js');
  cluster.setupPrimary({ args: ['serve'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port, host, memory, log } = options;
  // What is given here stands over the environment that they inherit; empty is as not set.
  const withoutKey = Object.fromEntries(KEY_VARIABLES.map((name) => [name, '']));
  const fork = (): Worker => cluster.fork({ ...withoutKey, [VARIABLE]: 'true' });
  return startCluster({ port, host, memory, log, size: workers, input, fork, prepare });
}

/** Serves what the primary process hands over, until that ends it. @returns the exit code. */
export async function serveAsWorker(worker: Worker, cli: Cli): Promise<number> {
  // Ctrl-C and service managers reach all processes; the primary one lets its workers end.
  cli.passSignals(() => {});
  const { meetPrimary } = await import('../../server/cluster/worker.js');
  const { createReplayServer } = await import('../../server/server.js');
  const primary = await meetPrimary(worker);
  const { args, workers } = primary.input as WorkerInput;
  const settings = shareOf(await readServeSettings(args, cli), workers);
  const exitCode = await withServeOptions(args, cli, settings, async (options, countIn) => {
    const server = createReplayServer({ ...options, cluster: primary.share });
    countIn(server.serving);
    await primary.serve(server);
    return 0;
  });
  worker.disconnect();
  return exitCode;
}

/** A worker's part of what is allowed to all. */
function shareOf({ feeds, options }: ServeSettings, workers: number): ServeSettings {
  const { dayFiles } = options;
  return {
    feeds: { ...feeds, options: { ...feeds.options, ...limitsOf(feeds.options, workers) } },
    options: {
      ...options,
      dayFiles: {
        ...dayFiles,
        options: { ...dayFiles.options, ...limitsOf(dayFiles.options, workers) },
      },
    },
  };
}

type Limits = Pick<ServeSettings['feeds']['options'], 'concurrency' | 'maxRate'>;

function limitsOf({ concurrency, maxRate }: Limits, workers: number): Limits {
  return {
    concurrency: concurrency === 'auto' ? concurrency : Math.max(1, Math.floor(concurrency / workers)),
    maxRate: maxRate === undefined ? undefined : maxRate / workers,
  };
}
