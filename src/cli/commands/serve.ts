import { waitForAbort } from '../../base/wait.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { RunningServer } from '../../server/replay-server.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { raiseHeapGrowth } from '../raise-heap-growth.js';
import type { ServeSettings } from '../serve-processes.js';

/** Milliseconds for responses in flight. */
const GRACE_MS = 5_000;

export const serveCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.serve),
  examples: [
    ['$0 serve', 'HTTP on port 8000, WebSocket on 8001, for this machine only'],
    ['$0 serve --source datasets --dir datasets', 'serve day files, downloaded on demand'],
    ['$0 serve --cluster-mode', 'one process per processor, for many clients at once'],
    ['$0 serve --host 0.0.0.0 --allow-origin http://tickhaul:8001', 'in a container'],
  ],
  async run(args, cli) {
    raiseHeapGrowth();
    const { findOwnWorker, isTrue, readServeSettings, serveAsWorker } = await import('../serve-processes.js');
    const worker = findOwnWorker(cli);
    if (worker) return serveAsWorker(worker, cli);
    const settings = await readServeSettings(args, cli);
    await warnOfExposure(cli, settings);
    const isCluster = settings.values.clusterMode || isTrue(cli, 'TM_CLUSTER_MODE');
    const serving = isCluster ? serveInWorkers(args, cli, settings) : serveInProcess(cli, settings);
    return serving.finally(settings.startDebugLines);
  },
};

async function serveInProcess(cli: CliHost, settings: ServeSettings): Promise<number> {
  const { clearCache, withServeOptions } = await import('../serve-processes.js');
  return withServeOptions(cli, settings, async (options, connectMetrics) => {
    const { startServer } = await import('../../server/replay-server.js');
    const server = await startServer(options);
    connectMetrics(server.context);
    await clearCache(cli, settings);
    return runUntilSignal(cli, settings, server);
  });
}

async function serveInWorkers(args: CommandArgs, cli: CliHost, settings: ServeSettings): Promise<number> {
  const { clearCache, startWorkers } = await import('../serve-processes.js');
  const starting = startWorkers(args, cli, settings, () => clearCache(cli, settings));
  const server = await starting.catch((error: unknown) => {
    // The signal reached the workers too.
    if (cli.signal.aborted) return undefined;
    throw error;
  });
  if (!server) return 0;
  const debug = settings.options.log.debug;
  return runUntilSignal(cli, settings, server, () => debug?.(`workers ${server.pids.join(', ')}`));
}

/** Runs until a signal, which is the normal end of the server. */
async function runUntilSignal(
  { stdout, stderr, signal }: CliHost,
  { options: { host }, startDebugLines }: ServeSettings,
  { httpPort, wsPort, close }: Pick<RunningServer, 'httpPort' | 'wsPort' | 'close'>,
  onListening = (): void => {},
): Promise<number> {
  stdout.write(`HTTP port: ${httpPort}\nWS port: ${wsPort}\n`);
  startDebugLines();
  if (stderr.isTTY) stderr.write(`${pageAddress(host, httpPort)}\n`);
  onListening();
  await waitForAbort(signal);
  await close(GRACE_MS);
  return 0;
}

/** Address of the page for a browser on this machine. */
function pageAddress(host: string, port: number): string {
  const isIpv4 = host === '0.0.0.0' || host === 'localhost';
  const name = isIpv4 ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/`;
}

async function warnOfExposure(cli: CliHost, { values, options: { host } }: ServeSettings): Promise<void> {
  if (values.apiKey !== undefined) {
    cli.warn('--api-key: other users of this machine see arguments; set TICKHAUL_API_KEY instead');
  }
  const { isLoopbackHost } = await import('../../server/http-endpoints/origin-guard.js');
  if (!isLoopbackHost(host))
    cli.warn(`--host ${host}: every client that can reach it uses your key and your disk`);
}
