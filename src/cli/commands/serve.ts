import { usageError } from '../../base/errors.js';
import { readCount, readList, readSize, readText, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import { given } from '../../commands/environment.js';
import { lockOwner } from '../../commands/lock-owner.js';
import { readDownloadOptions, readLayout, readStallTimeout } from '../../commands/selection/selection.js';
import { withSession } from '../../commands/session.js';
import type { ServeOptions } from '../../server/options.js';
import { SERVE_FLAGS } from '../arguments/flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { readCacheFolder } from '../../commands/feeds/cache-folder.js';

const DEFAULT_PORT = 8000;
/** Milliseconds that answers under way have; the process leaves at 5 s (`main.ts`). */
const GRACE_MS = 4_600;

export const serve: Action = {
  flags: SERVE_FLAGS,
  examples: [
    ['$0 serve', 'HTTP on port 8000, WebSocket on 8001, of this machine only'],
    ['$0 serve --source datasets --dir datasets', 'normalized data of day files, downloaded on demand'],
    [
      '$0 serve --host 0.0.0.0 --allow-origin http://tickhaul:8001',
      'in a container, for those of its network',
    ],
  ],
  async run(args, cli) {
    const settings = await loadSettings(args, cli);
    const stallTimeoutMs = readStallTimeout(args);
    const port = readCount(args, 'port', 0, 65_534) ?? portOf(cli) ?? DEFAULT_PORT;
    const host = readText(args, 'host') ?? '127.0.0.1';
    const log = logOf(args, cli);
    if (readText(args, 'api-key') !== undefined) {
      cli.warn('--api-key: other users of this machine see arguments; set TICKHAUL_API_KEY instead');
    }
    const { isLoopback } = await import('../../server/http/guard.js');
    if (!isLoopback(host)) cli.warn(`--host ${host}: whoever can reach it uses your key and your disk`);
    let count = (): void => {};
    const note = (line: string): void => {
      count();
      log.debug?.(line);
    };
    return withSession(args, cli, { stallTimeoutMs, settings, note }, async ({ client }) => {
      const download = readDownloadOptions(args, settings.downloadDir);
      const cacheFolder = readCacheFolder(args, cli, settings);
      const options: ServeOptions = {
        port,
        host,
        allowOrigins: readOrigins(args),
        isCompressed: readToggle(args, 'compress'),
        source: readText(args, 'source') === 'datasets' ? 'datasets' : 'feeds',
        feeds: {
          client,
          cacheFolder,
          cacheLimit: readSize(args, 'cache-limit'),
          offline: readToggle(args, 'offline'),
          concurrency: download.concurrency,
          retries: download.retries,
          maxWaitMs: download.maxWaitMs,
          maxRate: download.maxRate,
        },
        records: settings.cacheDir,
        dayFiles: { options: download, layout: readLayout(args), owner: () => lockOwner(cli) },
        log,
        memory: () => process.memoryUsage(),
      };
      if (isSet(args, cli, 'clear-cache', 'TM_CLEAR_CACHE')) {
        const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
        await clearSlices(cacheFolder);
      }
      const { startServer } = await import('../../server/server.js');
      const server = await startServer(options);
      count = () => {
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

function logOf(args: Args, cli: Cli): ServeOptions['log'] {
  const isDebug = isSet(args, cli, 'debug', 'TM_DEBUG');
  return {
    warn: cli.warn,
    request: readToggle(args, 'verbose') || isDebug ? (line) => cli.stderr.write(`${line}\n`) : undefined,
    debug: isDebug ? (line) => cli.stdout.write(`${line}\n`) : undefined,
  };
}

/** A flag, or its variable, which counts only as `true`. */
function isSet(args: Args, { env }: Cli, flag: string, variable: string): boolean {
  return args[flag] === undefined ? given(env, variable) === 'true' : readToggle(args, flag);
}

function portOf({ env }: Cli): number | undefined {
  const text = given(env, 'TM_PORT');
  try {
    return readCount({ TM_PORT: text }, 'TM_PORT', 0, 65_534);
  } catch {
    throw usageError(`TM_PORT: "${text}" is not a port, 1 to 65534`);
  }
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
