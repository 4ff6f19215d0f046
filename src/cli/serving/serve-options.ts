import { usageError } from '../../base/errors.js';
import { readCount, readList, readText, readToggle } from '../../commands/arguments/read.js';
import { given } from '../../commands/environment.js';
import { type FeedSettings, readFeedSettings } from '../../commands/feeds/feed-run.js';
import { lockOwner } from '../../commands/lock-owner.js';
import { readDownloadOptions, readLayout } from '../../commands/selection/selection.js';
import type { ServeOptions, ServerLog } from '../../server/options.js';
import { HIGHEST_PORT } from '../../server/ports.js';
import type { Args, Cli } from '../arguments/types.js';

const DEFAULT_PORT = 8000;
const DEFAULT_MAX_CLIENTS = 256;

/** What a server is told by flags and environment, and how it gets raw data. */
export interface ServeSettings {
  readonly feeds: FeedSettings;
  readonly options: Omit<ServeOptions, 'feeds' | 'destination'>;
}

/** @throws usage error. */
export async function readServeSettings(args: Args, cli: Cli): Promise<ServeSettings> {
  const feeds = await readFeedSettings(args, cli);
  const options = {
    port: readCount(args, 'port', 0, HIGHEST_PORT) ?? environmentPort(cli) ?? DEFAULT_PORT,
    host: readText(args, 'host') ?? '127.0.0.1',
    allowOrigins: readOrigins(args),
    maxClients: readCount(args, 'max-clients', 1) ?? DEFAULT_MAX_CLIENTS,
    isCompressed: readToggle(args, 'compress'),
    source: readText(args, 'source') === 'datasets' ? 'datasets' : 'feeds',
    records: feeds.settings.cacheDir,
    dayFiles: {
      options: readDownloadOptions(args),
      layout: readLayout(args),
      // Its flags may hold a secret: the API key.
      owner: () => ({ ...lockOwner(cli), command: 'tickhaul serve' }),
    },
    log: logOf(args, cli),
    memory: () => process.memoryUsage(),
  } as const;
  return { feeds, options };
}

function logOf(args: Args, cli: Cli): ServerLog {
  const isDebug = readToggle(args, 'debug') || isTrue(cli, 'TM_DEBUG');
  return {
    warn: cli.warn,
    ...(readToggle(args, 'verbose') && { request: (line: string) => void cli.stderr.write(`${line}\n`) }),
    ...(isDebug && { debug: (line: string) => void cli.stdout.write(`${line}\n`) }),
  };
}

/** Booleans in the environment count only as `true` (contract, Serve). */
export function isTrue({ env }: Cli, variable: string): boolean {
  return given(env, variable) === 'true';
}

/** @throws usage error. */
function environmentPort({ env }: Cli): number | undefined {
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
