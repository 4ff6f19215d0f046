import { usageError } from '../base/errors.js';
import { loadSettings } from '../operations/config/load-config.js';
import { createLockOwner } from '../operations/create-lock-owner.js';
import { type FeedSettings, readFeedSettings } from '../operations/feeds/with-feed-read-context.js';
import { completeDownloadOptions } from '../operations/selection/read-selection.js';
import { readVariable, requireFolder, type Settings } from '../operations/settings.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { type CommandValues, readCommandOptions } from '../options/read-options.js';
import { MAX_HTTP_PORT } from '../server/endpoints.js';
import type { ServeOptions, ServerLog } from '../server/server-context.js';
import type { CliHost, CommandArgs } from './arguments/command.js';

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
function readOrigins(origins: readonly string[] = []): readonly string[] {
  return origins.map((origin) => {
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return origin;
    throw usageError(`--allow-origin: "${origin}" is not an origin; use the form http://host:port`);
  });
}
