import { waitForAbort } from '../../base/wait.js';
import { readBooleanFlag, readTextFlag } from '../../commands/arguments/read-arguments.js';
import type { RunningServer } from '../../server/replay-server.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { SERVE_FLAGS } from '../arguments/run-flags.js';
import { isTrue, readServeSettings, type ServeSettings } from '../serving/serve-options.js';

/** Milliseconds that answers under way have: the process leaves at 5 s (`main.ts`). */
const GRACE_MS = 4_600;
/** Workers have less, since each has to end as a process. */
const WORKER_GRACE_MS = 4_200;

export const serveCommand: CommandAction = {
  flags: SERVE_FLAGS,
  examples: [
    ['$0 serve', 'HTTP on port 8000, WebSocket on 8001, of this machine only'],
    ['$0 serve --source datasets --dir datasets', 'from day files, downloaded on demand'],
    ['$0 serve --cluster-mode', 'a process for each processor, for many clients at once'],
    ['$0 serve --host 0.0.0.0 --allow-origin http://tickhaul:8001', 'in a container'],
  ],
  async run(args, cli) {
    const { ownWorker, serveAsWorker } = await import('../serving/cluster.js');
    const worker = ownWorker(cli);
    if (worker) return serveAsWorker(worker, cli);
    const settings = await readServeSettings(args, cli);
    await warnOfOthers(args, cli, settings);
    const isCluster = readBooleanFlag(args, 'cluster-mode') || isTrue(cli, 'TM_CLUSTER_MODE');
    return (isCluster ? serveOverProcesses : serveHere)(args, cli, settings);
  },
};

async function serveHere(args: CommandArgs, cli: CliHost, settings: ServeSettings): Promise<number> {
  const { withServeOptions } = await import('../serving/with-options.js');
  return withServeOptions(args, cli, settings, async (options, countIn) => {
    const { startServer } = await import('../../server/replay-server.js');
    const server = await startServer(options);
    countIn(server.serving);
    await clearCache(cli, settings);
    return untilSignal(cli, settings, server, GRACE_MS);
  });
}

async function serveOverProcesses(args: CommandArgs, cli: CliHost, settings: ServeSettings): Promise<number> {
  const { startWorkers } = await import('../serving/cluster.js');
  const starting = startWorkers(args, cli, settings, () => clearCache(cli, settings));
  const server = await starting.catch((error: unknown) => {
    // It reached the workers too.
    if (cli.signal.aborted) return undefined;
    throw error;
  });
  if (!server) return 0;
  const debug = settings.options.log.debug;
  return untilSignal(cli, settings, server, WORKER_GRACE_MS, () =>
    debug?.(`workers ${server.pids.join(', ')}`),
  );
}

/** When the ports are its own: not the cache of a server that has them already. */
async function clearCache(cli: CliHost, { feeds }: ServeSettings): Promise<void> {
  if (!feeds.clearCache && !isTrue(cli, 'TM_CLEAR_CACHE')) return;
  const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
  await clearSlices(feeds.options.cacheFolder);
}

/** A signal is the way to end it, so it is no failure. */
async function untilSignal(
  { stdout, stderr, signal }: CliHost,
  { options: { host } }: ServeSettings,
  { httpPort, wsPort, close }: Pick<RunningServer, 'httpPort' | 'wsPort' | 'close'>,
  graceMs: number,
  onListening = (): void => {},
): Promise<number> {
  stdout.write(`HTTP port: ${httpPort}\nWS port: ${wsPort}\n`);
  if (stderr.isTTY) stderr.write(`${pageAddress(host, httpPort)}\n`);
  onListening();
  await waitForAbort(signal);
  await close(graceMs);
  return 0;
}

/** Where a browser on this machine finds the page. */
function pageAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/`;
}

async function warnOfOthers(
  args: CommandArgs,
  cli: CliHost,
  { options: { host } }: ServeSettings,
): Promise<void> {
  if (readTextFlag(args, 'api-key') !== undefined) {
    cli.warn('--api-key: other users of this machine see arguments; set TICKHAUL_API_KEY instead');
  }
  const { isLoopbackHost } = await import('../../server/http/origin-guard.js');
  if (!isLoopbackHost(host)) cli.warn(`--host ${host}: whoever can reach it uses your key and your disk`);
}
