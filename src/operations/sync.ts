import { usageError } from '../base/errors.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import type { ConfigFile } from '../options/parse-config.js';
import type { CommandValues } from '../options/read-options.js';
import type { SyncInput } from '../sync/sync-options.js';
import type { Context } from './context.js';
import { createLockOwner } from './create-lock-owner.js';
import { parsePing } from './notify/ping.js';
import { type Notifications, withNotifications } from './notify/with-notifications.js';
import { createOpenedPlanReport, type OpenedPlanReport } from './plan-download.js';
import { readRunOptions, readSyncJobs, selectJob, withConfigLocation } from './read-sync-jobs.js';
import { readDownloadOptions } from './selection/read-selection.js';

/** Options of `sync`. */
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
export type ShowPlan = (openedPlan: OpenedPlanReport) => Promise<RunSummary>;

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
