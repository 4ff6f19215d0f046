import { usageError } from '../../base/errors.js';
import {
  readBooleanFlag,
  readCount,
  readListFlag,
  readTextFlag,
} from '../../operations/arguments/read-arguments.js';
import { createLockOwner } from '../../operations/create-lock-owner.js';
import { type FeedRunSettings, readFeedSettings } from '../../operations/feeds/with-feed-run.js';
import { DOWNLOAD_READ, readDownloadOptions } from '../../operations/selection/read-selection.js';
import { readVariable, requireFolder } from '../../operations/settings.js';
import { LAYOUT_OPTIONS } from '../../options/day-file-options.js';
import { SERVE_OPTIONS } from '../../options/message-options.js';
import { readOptions } from '../../options/read-options.js';
import { MAX_HTTP_PORT } from '../../server/endpoints.js';
import type { ServeOptions, ServerLog } from '../../server/server-context.js';
import type { CliHost, CommandArgs } from '../arguments/command.js';

const DEFAULT_PORT = 8000;

/** Settings of a server from flags and environment, and its raw data source. */
export interface ServeSettings {
  readonly feeds: FeedRunSettings;
  readonly options: Omit<ServeOptions, 'feeds' | 'destination'>;
  /** Prints debug lines from now on, and those held until now: the lines with the ports come first. */
  readonly startDebugLines: () => void;
}

/** @throws usage error. */
export async function readServeSettings(args: CommandArgs, cli: CliHost): Promise<ServeSettings> {
  const feeds = await readFeedSettings(args, cli);
  const { log, startDebugLines } = createServerLog(args, cli);
  const options = {
    port: readCount(args, 'port', 0, MAX_HTTP_PORT) ?? readEnvironmentPort(cli) ?? DEFAULT_PORT,
    host: readTextFlag(args, 'host') ?? SERVE_OPTIONS.host.default,
    allowOrigins: readOrigins(args),
    maxClients: readCount(args, 'max-clients', 1) ?? Number(SERVE_OPTIONS['max-clients'].default),
    isCompressed: readBooleanFlag(args, 'compress'),
    source: readTextFlag(args, 'source') === 'datasets' ? 'datasets' : 'feeds',
    records: requireFolder(feeds.settings.cacheDir, 'XDG_CACHE_HOME'),
    dayFiles: {
      options: readDownloadOptions(readOptions(DOWNLOAD_READ, args)),
      layout: readOptions(LAYOUT_OPTIONS, args).layout,
      // The command line may contain a secret: the API key.
      owner: () => ({ ...createLockOwner(cli), command: 'tickhaul serve' }),
    },
    log,
    memory: () => process.memoryUsage(),
  } as const;
  return { feeds, options, startDebugLines };
}

function createServerLog(
  args: CommandArgs,
  cli: CliHost,
): { readonly log: ServerLog } & Pick<ServeSettings, 'startDebugLines'> {
  const isDebug = readBooleanFlag(args, 'debug') || isTrue(cli, 'TM_DEBUG');
  let held: string[] | undefined = [];
  const print = (line: string): void => void cli.stdout.write(`${line}\n`);
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

/** @throws usage error. */
function readEnvironmentPort({ env }: CliHost): number | undefined {
  const text = readVariable(env, 'TM_PORT');
  if (text === undefined) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_HTTP_PORT) return port;
  throw usageError(`TM_PORT: "${text}" is not a port, 1 to ${MAX_HTTP_PORT}`);
}

/** @throws usage error. */
function readOrigins(args: CommandArgs): readonly string[] {
  return (readListFlag(args, 'allow-origin') ?? []).map((origin) => {
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return origin;
    throw usageError(`--allow-origin: "${origin}" is not an origin; use the form http://host:port`);
  });
}
