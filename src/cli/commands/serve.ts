import { usageError } from '../../base/errors.js';
import { readCount, readList, readText, readToggle } from '../../commands/arguments/read.js';
import { given } from '../../commands/environment.js';
import { readFeedSettings } from '../../commands/feeds/feed-run.js';
import { lockOwner } from '../../commands/lock-owner.js';
import { readDownloadOptions, readLayout } from '../../commands/selection/selection.js';
import { withSession } from '../../commands/session.js';
import { HIGHEST_PORT } from '../../server/listen.js';
import type { ServeOptions, ServerLog } from '../../server/options.js';
import { SERVE_FLAGS } from '../arguments/flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';

const DEFAULT_PORT = 8000;
/** Milliseconds that answers under way have: the process leaves at 5 s (`main.ts`). */
const GRACE_MS = 4_600;

export const serve: Action = {
  flags: SERVE_FLAGS,
  examples: [
    ['$0 serve', 'HTTP on port 8000, WebSocket on 8001, of this machine only'],
    ['$0 serve --source datasets --dir datasets', 'from day files, downloaded on demand'],
    ['$0 serve --host 0.0.0.0 --allow-origin http://tickhaul:8001', 'in a container'],
  ],
  async run(args, cli) {
    const feeds = await readFeedSettings(args, cli);
    const log = logOf(args, cli);
    const options: Omit<ServeOptions, 'feeds'> = {
      port: readCount(args, 'port', 0, HIGHEST_PORT) ?? portOf(cli) ?? DEFAULT_PORT,
      host: readText(args, 'host') ?? '127.0.0.1',
      allowOrigins: readOrigins(args),
      isCompressed: readToggle(args, 'compress'),
      source: readText(args, 'source') === 'datasets' ? 'datasets' : 'feeds',
      records: feeds.settings.cacheDir,
      dayFiles: {
        options: readDownloadOptions(args, feeds.settings.downloadDir),
        layout: readLayout(args),
        // Its flags may hold a secret: the API key.
        owner: () => ({ ...lockOwner(cli), command: 'tickhaul serve' }),
      },
      log,
      memory: () => process.memoryUsage(),
    };
    await warnOfOthers(args, cli, options);
    let countRequest = (): void => {};
    const note = (line: string): void => {
      countRequest();
      log.debug?.(line);
    };
    return withSession(args, cli, { ...feeds, note }, async ({ client }) => {
      const { startServer } = await import('../../server/server.js');
      const server = await startServer({ ...options, feeds: { ...feeds.options, client } });
      // Not that of a server that has the port already.
      if (feeds.clearCache || isTrue(cli, 'TM_CLEAR_CACHE')) {
        const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
        await clearSlices(feeds.options.cacheFolder);
      }
      countRequest = () => {
        server.serving.metrics.upstreamRequests++;
      };
      cli.stdout.write(`HTTP port: ${server.httpPort}\nWS port: ${server.wsPort}\n`);
      await aborted(cli);
      // A signal is the way to end it, so it is no failure.
      await server.close(GRACE_MS);
      return 0;
    });
  },
};

function logOf(args: Args, cli: Cli): ServerLog {
  const isDebug = readToggle(args, 'debug') || isTrue(cli, 'TM_DEBUG');
  return {
    warn: cli.warn,
    ...(readToggle(args, 'verbose') && { request: (line: string) => void cli.stderr.write(`${line}\n`) }),
    ...(isDebug && { debug: (line: string) => void cli.stdout.write(`${line}\n`) }),
  };
}

async function warnOfOthers(args: Args, cli: Cli, { host }: Pick<ServeOptions, 'host'>): Promise<void> {
  if (readText(args, 'api-key') !== undefined) {
    cli.warn('--api-key: other users of this machine see arguments; set TICKHAUL_API_KEY instead');
  }
  const { isLoopback } = await import('../../server/http/guard.js');
  if (!isLoopback(host)) cli.warn(`--host ${host}: whoever can reach it uses your key and your disk`);
}

/** Booleans in the environment count only as `true` (contract, Serve). */
function isTrue({ env }: Cli, variable: string): boolean {
  return given(env, variable) === 'true';
}

/** @throws usage error. */
function portOf({ env }: Cli): number | undefined {
  const text = given(env, 'TM_PORT');
  if (text === undefined) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= HIGHEST_PORT) return port;
  throw usageError(`TM_PORT: "${text}" is not a port, 1 to ${HIGHEST_PORT}`);
}

/** @throws usage error. */
function readOrigins(args: Args): readonly string[] {
  return (readList(args, 'allow-origin') ?? []).map((origin) => {
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return origin;
    throw usageError(`--allow-origin: "${origin}" is no origin; write it as http://host:port`);
  });
}

function aborted({ signal }: Cli): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
