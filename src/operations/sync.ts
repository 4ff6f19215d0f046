import { dirname } from 'node:path';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import { COMMAND_OPTIONS, SYNC_AUDIT_OPTIONS } from '../options/command-options.js';
import type { ConfigJob } from '../options/config-schema.js';
import {
  DOWNLOAD_OPTIONS,
  EXCHANGE_ARGUMENT,
  PLAN_SELECTION_OPTIONS,
  SHARD_OPTIONS,
} from '../options/day-file-options.js';
import { EXPORT_AFTER_OPTIONS } from '../options/export-options.js';
import type { OptionGroup } from '../options/option-definition.js';
import type { GivenFlags, ReadOptions } from '../options/option-values.js';
import type { ConfigFile, ConfigPath } from '../options/parse-config.js';
import {
  type CommandValues,
  type GivenOptions,
  overrideOptions,
  readOptions,
} from '../options/read-options.js';
import {
  findSettingsInMessage,
  flagsToSettingsInMessage,
  settingsToArgs,
  settingToFlag,
} from '../options/setting-names.js';
import type { SyncInput, SyncJob } from '../sync/sync-options.js';
import { type Context, createLockOwner } from './context.js';
import { expandHomeInArgs } from './expand-home.js';
import { resolveConfigPath } from './load-config.js';
import { type Notifications, parsePing, withNotifications } from './notifications.js';
import { createOpenedPlanReport, type OpenedPlanReport } from './plan-download.js';
import { readExportSetting } from './selection/read-export-setting.js';
import { readDownloadOptions, readSelection } from './selection/read-selection.js';

type SyncValues = CommandValues<typeof COMMAND_OPTIONS.sync>;

/** `sync`: updates the jobs of a config file. Hooks and ping are notified of errors in it too. */
export async function runSync(options: SyncValues, context: Context): Promise<RunSummary> {
  const config = await tryLoadConfig(context);
  const notifications = await readNotifications(config.file, options);
  return withNotifications(notifications, context, context.emit, async () => {
    if (!config.file) throw config.error;
    return syncJobs(await openSync(config.file, options, context));
  });
}

type ConfigResult =
  | { readonly file: ConfigFile; readonly error?: undefined }
  | { readonly file?: undefined; readonly error: unknown };

async function tryLoadConfig(context: Context): Promise<ConfigResult> {
  try {
    const file = await context.config();
    if (file) return { file };
    throw usageError(
      'no config file: write ./tickhaul.yaml with the jobs to keep up to date, or name one with --config',
    );
  } catch (error) {
    return { error };
  }
}

const { 'on-success': ON_SUCCESS, 'on-failure': ON_FAILURE, ping: PING } = COMMAND_OPTIONS.sync;
const NOTIFICATIONS = { 'on-success': ON_SUCCESS, 'on-failure': ON_FAILURE, ping: PING } as const;

/** Errors in the file are reported to the hooks and the ping that the flags name, so these are read first. */
async function readNotifications(file: ConfigFile | undefined, options: SyncValues): Promise<Notifications> {
  const read = ({ onSuccess, onFailure, ping }: Pick<SyncValues, 'onSuccess' | 'onFailure' | 'ping'>) => ({
    onSuccess,
    onFailure,
    ping: ping === undefined ? undefined : parsePing(ping),
  });
  if (!file) return read(options);
  return withConfigLocation(file, [], options.given, () =>
    read(readRunOptions(NOTIFICATIONS, file, options)),
  );
}

/** Shows the plan of one job, and resolves with its summary. */
type ShowPlan = (openedPlan: OpenedPlanReport) => Promise<RunSummary>;

/** `sync --dry-run`: plans each job without taking a lock, writing a file, or calling a hook or ping. */
export async function planSync(options: SyncValues, context: Context, show: ShowPlan): Promise<RunSummary> {
  const config = await tryLoadConfig(context);
  if (!config.file) throw config.error;
  await readNotifications(config.file, options);
  const input = await openSync(config.file, options, context);
  const { planJobs } = await import('../sync/run-sync-jobs.js');
  const { destination, emit } = input;
  return planJobs(input, ({ name, ...planned }) => {
    const startedAtMs = performance.now();
    return show(
      createOpenedPlanReport({ ...planned, destination, emit, startedAtMs: startedAtMs, job: name }),
    );
  });
}

async function syncJobs(input: SyncInput): Promise<RunSummary> {
  const { runSyncJobs } = await import('../sync/run-sync-jobs.js');
  const run = async (observed: EventSink): Promise<RunSummary> => {
    const syncInput = { ...input, emit: observed };
    if (!input.jobs.some(({ audit }) => audit)) return runSyncJobs(syncInput);
    const { runAudited } = await import('./run-audited.js');
    return runAudited(syncInput, (audits) => runSyncJobs({ ...syncInput, audits }));
  };
  const exports = new Map(
    input.jobs.flatMap(({ name, export: setting }) => (setting ? [[name, setting] as const] : [])),
  );
  if (exports.size === 0) return run(input.emit);
  const { runWithExports } = await import('./run-with-exports.js');
  return runWithExports(input, exports, run);
}

/** Reads the jobs and the options of the run, and opens what it needs. @throws usage error. */
async function openSync(file: ConfigFile, options: SyncValues, context: Context): Promise<SyncInput> {
  const { emit, signal, home } = context;
  const { cacheDir: cache } = await context.settings();
  const { stallTimeoutMs, ...run } = await withConfigLocation(file, [], options.given, () =>
    readRun(readRunOptions(COMMAND_OPTIONS.sync, file, options)),
  );
  const jobs = selectJob(await readSyncJobs(file, options, signal, home), options.job);
  return {
    client: await context.client(),
    cache,
    destination: await context.destination(undefined, stallTimeoutMs),
    jobs,
    ...run,
    // The command line may contain secrets: a ping URL, a hook command.
    owner: { ...createLockOwner(context), command: 'tickhaul sync' },
    askForSpace: context.askForSpace?.(),
    emit,
    signal,
  };
}

interface RunSettings extends Pick<SyncInput, 'options' | 'lockTimeoutMs' | 'waiting' | 'maxDurationMs'> {
  readonly stallTimeoutMs: number;
}

function readRun(
  options: Pick<SyncValues, 'timeoutMs' | 'wait' | 'lockTimeoutMs' | 'maxDurationMs' | 'stallTimeoutMs'> &
    Parameters<typeof readDownloadOptions>[0],
): RunSettings {
  const { timeoutMs = Number.POSITIVE_INFINITY, wait, lockTimeoutMs = 0, maxDurationMs } = options;
  if (options.timeoutMs !== undefined && !wait) throw usageError('--timeout requires --wait; add it');
  return {
    options: readDownloadOptions(options),
    lockTimeoutMs,
    waiting: wait ? { timeoutMs } : undefined,
    maxDurationMs,
    stallTimeoutMs: options.stallTimeoutMs,
  };
}

/**
 * Options of the whole run: the flags of the command override the settings at the top level of the file.
 * @throws usage error, which `withConfigLocation` places.
 */
export function readRunOptions<Options extends OptionGroup>(
  group: Options,
  { config }: ConfigFile,
  options: { readonly given: GivenFlags },
): ReadOptions<Options> {
  return overrideOptions(
    group,
    readOptions(group, withoutFlags(topSettings(config), options.given)),
    options,
  );
}

function topSettings({ jobs: _, $schema: __, ...settings }: ConfigFile['config']): GivenOptions {
  return settingsToArgs(settings);
}

/** Leaves out settings that a flag overrides, so that they need not be valid. */
function withoutFlags(settings: GivenOptions, given: GivenFlags): GivenOptions {
  return Object.fromEntries(Object.entries(settings).filter(([flag]) => !given.has(flag)));
}

/**
 * Reads the jobs in a config file, parsing each setting with the reader of the flag of that name.
 * @param options the command's flags, which override every job's settings. @param home the user's home folder.
 * @throws usage error with file and line.
 */
export async function readSyncJobs(
  file: ConfigFile,
  options: { readonly given: GivenFlags },
  signal: AbortSignal,
  home?: string,
): Promise<readonly SyncJob[]> {
  if (!file.config.jobs)
    throw usageError(
      `${file.path}: jobs is missing; list the jobs to keep up to date, or name another --config`,
    );
  const jobs: SyncJob[] = [];
  for (const [index, job] of file.config.jobs.entries()) {
    const at = ['jobs', index];
    jobs.push(
      await withConfigLocation(file, at, options.given, () =>
        readJob(file, job, file.place(at), options, signal, home),
      ),
    );
  }
  return jobs;
}

/** @throws usage error for a name that no job has. */
function selectJob(jobs: readonly SyncJob[], name: string | undefined): readonly SyncJob[] {
  if (name === undefined) return jobs;
  const matches = jobs.filter((job) => job.name === name);
  if (matches.length > 0) return matches;
  const names = jobs.map((job) => job.name);
  throw usageError(
    `--job: there is no job named "${name}"${didYouMean(name, names) || `; the jobs are ${names.join(', ')}`}`,
  );
}

/** Options of a job, from its settings, those at the top of the file, and the flags of the command. */
const JOB = {
  ...EXCHANGE_ARGUMENT,
  ...PLAN_SELECTION_OPTIONS,
  ...SHARD_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SYNC_AUDIT_OPTIONS,
  ...EXPORT_AFTER_OPTIONS,
} as const;

async function readJob(
  file: ConfigFile,
  job: ConfigJob,
  where: string,
  flags: { readonly given: GivenFlags },
  signal: AbortSignal,
  home: string | undefined,
): Promise<SyncJob> {
  const { name, ...settings } = job;
  const given = withoutFlags({ ...topSettings(file.config), ...settingsToArgs(settings) }, flags.given);
  const options = overrideOptions(JOB, readOptions(JOB, expandHomeInArgs(given, home)), flags);
  const setting = await readExportSetting(options);
  // The folder of exports is relative to the config file.
  return {
    name,
    where,
    selection: await readSelection(options, signal, dirname(file.path)),
    options: readDownloadOptions(options),
    stallTimeoutMs: options.stallTimeoutMs,
    audit: options.audit,
    export: setting && { ...setting, out: resolveConfigPath(file.path, setting.out) },
  };
}

/**
 * Replaces flags by settings in a usage error, and adds file and line, unless the setting was given as a flag.
 * @param at path of the job in the file; empty for the top level.
 */
async function withConfigLocation<T>(
  file: ConfigFile,
  at: ConfigPath,
  given: GivenFlags,
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'usage') throw error;
    const settings = findSettingsInMessage(error.message);
    if (settings[0] !== undefined && given.has(settingToFlag(settings[0]))) throw error;
    const job = at.length === 0 ? undefined : file.config.jobs?.[Number(at[1])];
    const keyInJob = settings.find((key) => job !== undefined && key in job);
    const keyAtTop = settings.find((key) => key in file.config);
    const place = keyInJob !== undefined ? [...at, keyInJob] : keyAtTop !== undefined ? [keyAtTop] : at;
    throw usageError(`${file.place(place)}: ${flagsToSettingsInMessage(error.message)}`);
  }
}
