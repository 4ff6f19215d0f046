import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import { sanitizeForTerminal } from '../base/text.js';
import { toRunFailure } from '../events/run-failure.js';
import { readProxySettings } from '../http/proxy-settings.js';
import { createLockOwner, withContext } from '../operations/context.js';
import { type FeedSettings, readFeedSettings } from '../operations/feeds/with-feed-read-context.js';
import { loadSettings } from '../operations/load-config.js';
import { assertFlagsMatchSource } from '../operations/selection/read-replay-request.js';
import { completeDownloadOptions } from '../operations/selection/read-selection.js';
import {
  KEY_VARIABLES,
  readKey,
  readVariable,
  requireFolder,
  type Settings,
} from '../operations/settings.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { type CommandValues, readCommandOptions } from '../options/read-options.js';
import type { PrimaryLink } from '../server/cluster/connect-to-primary.js';
import type { RunningCluster } from '../server/cluster/start-cluster.js';
import { MAX_HTTP_PORT } from '../server/endpoints.js';
import type { ServeOptions, ServerContext, ServerLog } from '../server/server-context.js';
import { withRequestLog } from '../store/request-log-channel.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { Output } from './output/output.js';

const DEFAULT_PORT = 8000;

/** Settings of a server from flags and environment, and its raw data source. */
export interface ServeSettings {
  readonly values: CommandValues<typeof COMMAND_OPTIONS.serve>;
  readonly settings: Settings;
  readonly feeds: FeedSettings;
  readonly options: Omit<ServeOptions, 'feeds' | 'destination'>;
  /** Prints debug lines from now on, and those held until now: the lines with the ports come first. */
  readonly startDebugLines: () => void;
}

/** @throws usage error. */
export async function readServeSettings(args: CommandArgs, cli: CliHost): Promise<ServeSettings> {
  const values = readCommandOptions(COMMAND_OPTIONS.serve, args);
  assertFlagsMatchSource(values, values.source);
  const settings = await loadSettings(args, cli);
  const feeds = readFeedSettings(values, cli, settings);
  const { log, startDebugLines } = createServerLog(values.debug, cli);
  const options = {
    port: values.port ?? readEnvironmentPort(cli) ?? DEFAULT_PORT,
    host: values.host,
    allowOrigins: readOrigins(values.allowOrigin),
    maxClients: values.maxClients,
    isCompressed: values.compress,
    source: values.source,
    records: requireFolder(settings.cacheDir, 'XDG_CACHE_HOME'),
    dayFiles: {
      options: completeDownloadOptions(values),
      layout: values.layout,
      // The command line may contain a secret: the API key.
      owner: () => ({ ...createLockOwner(cli), command: 'tickhaul serve' }),
    },
    log,
    memory: () => process.memoryUsage(),
  } as const;
  return { values, settings, feeds, options, startDebugLines };
}

function createServerLog(
  debug: boolean,
  cli: CliHost,
): { readonly log: ServerLog } & Pick<ServeSettings, 'startDebugLines'> {
  const isDebug = debug || isTrue(cli, 'TM_DEBUG');
  let held: string[] | undefined = [];
  const print = (line: string): void => void cli.stdout.write(`${sanitizeForTerminal(line)}\n`);
  const log = {
    warn: cli.warn,
    ...(cli.output.verbose && { request: cli.output.request }),
    ...(isDebug && { debug: (line: string) => void (held ? held.push(line) : print(line)) }),
  };
  return {
    log,
    startDebugLines() {
      for (const line of held ?? []) print(line);
      held = undefined;
    },
  };
}

/** Booleans in the environment count only as `true` (docs/spec/local-server.md#configuration). */
export function isTrue({ env }: CliHost, variable: string): boolean {
  return readVariable(env, variable) === 'true';
}

/** Called after the ports are open, so that the cache of another running server is not cleared. */
export async function clearCache(cli: CliHost, { values, feeds }: ServeSettings): Promise<void> {
  if (!values.clearCache && !isTrue(cli, 'TM_CLEAR_CACHE')) return;
  const { clearSlices } = await import('../raw-feeds/slices/slice-cache.js');
  await clearSlices(feeds.cacheFolder);
}

/** @throws usage error. */
function readEnvironmentPort({ env }: CliHost): number | undefined {
  const text = readVariable(env, 'TM_PORT');
  if (text === undefined) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_HTTP_PORT) return port;
  throw usageError(`TM_PORT: "${text}" is not a port, 1 to ${MAX_HTTP_PORT}`);
}

/** @throws usage error. */
function readOrigins(origins: readonly string[] = []): readonly string[] {
  return origins.map((origin) => {
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return origin;
    throw usageError(`--allow-origin: "${origin}" is not an origin; use the form http://host:port`);
  });
}

/**
 * Marks worker processes of this program, since some process managers run every program as one of their own cluster
 * workers.
 */
const WORKER_VARIABLE = 'TICKHAUL_SERVE_WORKER';
/** At least two workers, so that one is left if another ends. */
const MIN_WORKERS = 2;

/** The cluster worker that this process is; undefined if it is not a worker. */
export function findOwnWorker({ env }: CliHost): Worker | undefined {
  return readVariable(env, WORKER_VARIABLE) === undefined ? undefined : cluster.worker;
}

/** @param prepare called once, after the ports are open. @throws like `startCluster`. */
export async function startWorkers(
  args: CommandArgs,
  cli: CliHost,
  { settings, options }: ServeSettings,
  prepare: () => Promise<void>,
): Promise<RunningCluster> {
  // Report here, once, what would fail in each worker.
  readProxySettings(cli.env);
  const apiKey = await readKey(settings.keySource, cli);
  // Workers get the key over their channel, so it is in neither their arguments nor their environment.
  const input: CommandArgs = { ...args, 'api-key': apiKey };
  const { startCluster } = await import('../server/cluster/start-cluster.js');
  cluster.setupPrimary({ args: ['serve'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port, host, maxClients, memory, log } = options;
  // These variables override the inherited environment; an empty one counts as unset.
  const withoutKey = Object.fromEntries(KEY_VARIABLES.map((name) => [name, '']));
  const fork = (): Worker => cluster.fork({ ...withoutKey, [WORKER_VARIABLE]: 'true' });
  return startCluster({
    port,
    host,
    maxClients,
    memory,
    log,
    size: Math.max(MIN_WORKERS, availableParallelism()),
    input,
    fork,
    prepare,
  });
}

/**
 * Serves connections that the primary process hands over, until the primary ends it.
 * @returns the exit code.
 */
export async function serveAsWorker(worker: Worker, cli: CliHost): Promise<number> {
  // Ctrl-C and service managers signal all processes; the primary ends its workers.
  cli.passSignals(() => {});
  const { connectToPrimary } = await import('../server/cluster/connect-to-primary.js');
  const primary = await connectToPrimary(worker);
  const exitCode = await serveForPrimary(primary, cli).catch(async (error: unknown) => {
    const failure = toRunFailure(cli.reportBug(error));
    await primary.fail(failure.error);
    return failure.exitCode;
  });
  // An open channel would keep the process running.
  worker.disconnect();
  return exitCode;
}

async function serveForPrimary({ input, share, serve }: PrimaryLink, cli: CliHost): Promise<number> {
  const args = input as CommandArgs;
  const { createReplayServer } = await import('../server/replay-server.js');
  // All workers have the same environment and report the same.
  const host = { ...cli, output: new Output(args, cli), warn: (line: string) => share.warnOnce(line) };
  const settings = await readServeSettings(args, host);
  return withServeOptions(host, settings, async (options, connectMetrics) => {
    const server = createReplayServer({ ...options, cluster: share });
    // The primary process prints the ports before it hands over a connection.
    for (const each of [server.http, server.sockets]) each.once('connection', settings.startDebugLines);
    connectMetrics(server.context);
    await serve(server);
    return 0;
  });
}

/**
 * Runs `work` with the options of a server and a client of the service.
 * @param work must pass its server to `connectMetrics`, so that requests to the service are counted.
 */
export function withServeOptions(
  cli: CliHost,
  { values, feeds, options }: ServeSettings,
  work: (options: ServeOptions, connectMetrics: (context: ServerContext) => void) => Promise<number>,
): Promise<number> {
  let countRequest = (): void => {};
  const note = (line: string): void => {
    countRequest();
    options.log.debug?.(line);
  };
  const connectMetrics = ({ metrics }: ServerContext): void => {
    countRequest = () => {
      metrics.upstreamRequests++;
    };
  };
  const { debug } = options.log;
  // Requests to stores are debug lines, whatever --verbose says.
  return withContext(
    { ...values, verbose: debug !== undefined },
    cli,
    { emit() {}, note },
    async (context) => {
      const client = await context.client();
      return withRequestLog(debug, async () =>
        work(
          { ...options, destination: await context.destination(), feeds: { ...feeds, client } },
          connectMetrics,
        ),
      );
    },
  );
}
