import { usageError } from '../base/errors.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import type { ConfigFile } from '../options/parse-config.js';
import { readOptions } from '../options/read-options.js';
import { SETTING_OPTIONS } from '../options/service-options.js';
import type { SyncInput } from '../sync/sync-options.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readDuration, readTextFlag } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun, RunObserver } from './command-run.js';
import { loadConfig, toConfigSettings } from './config/load-config.js';
import { createRunArgs, readSyncJobs, selectJob, withConfigLocation } from './config/read-sync-jobs.js';
import { createLockOwner } from './create-lock-owner.js';
import { readPing } from './notify/ping.js';
import { type Notifications, withNotifications } from './notify/with-notifications.js';
import { createOpenedPlanReport, type OpenedPlanReport } from './plan-download.js';
import { readDownloadOptions, readStallTimeout } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { readSettings } from './settings.js';
import { withDestination } from './with-destination.js';

/**
 * Prepares `sync`, which updates the jobs of a config file. The run itself reads options and file, so that hooks and
 * ping are notified of errors in them.
 */
export function prepareSync(args: CommandArgs, host: CommandHost): CommandRun {
  return async (observer) => {
    const config = await tryLoadConfig(args, host);
    const allArgs = config.file ? createRunArgs(config.file, args) : args;
    // Errors in the file are reported to the hooks and the ping that the flags name.
    const read = (): Notifications => readNotifications(allArgs);
    const notifications = config.file ? await withConfigLocation(config.file, [], args, read) : read();
    return withNotifications(notifications, host, observer.emit, async () => {
      if (!config.file) throw config.error;
      return syncJobs(config.file, args, host, observer);
    });
  };
}

type ConfigResult =
  | { readonly file: ConfigFile; readonly error?: undefined }
  | { readonly file?: undefined; readonly error: unknown };

async function tryLoadConfig(args: CommandArgs, host: CommandHost): Promise<ConfigResult> {
  try {
    const file = await loadConfig(readTextFlag(args, 'config'), host);
    if (file) return { file };
    throw usageError(
      'no config file: write ./tickhaul.yaml with the jobs to keep up to date, or name one with --config',
    );
  } catch (error) {
    return { error };
  }
}

function readNotifications(args: CommandArgs): Notifications {
  return {
    onSuccess: readTextFlag(args, 'on-success'),
    onFailure: readTextFlag(args, 'on-failure'),
    ping: readPing(args),
  };
}

/** Shows the plan of one job, and resolves with its summary. */
export type ShowPlan = (openedPlan: OpenedPlanReport) => Promise<RunSummary>;

/**
 * Prepares `sync --dry-run`: plans each job without taking a lock, writing a file, or calling a hook or ping.
 */
export function prepareSyncPlan(
  args: CommandArgs,
  host: CommandHost,
): (observer: RunObserver, show: ShowPlan) => Promise<RunSummary> {
  return async (observer, show) => {
    const config = await tryLoadConfig(args, host);
    if (!config.file) throw config.error;
    const allArgs = createRunArgs(config.file, args);
    await withConfigLocation(config.file, [], args, () => readNotifications(allArgs));
    return withJobs(config.file, args, host, observer, async (input) => {
      const { planJobs } = await import('../sync/plan-jobs.js');
      const { destination, emit } = input;
      return planJobs(input, ({ name, ...planned }) => {
        const startedAtMs = performance.now();
        return show(
          createOpenedPlanReport({ ...planned, destination, emit, startedAtMs: startedAtMs, job: name }),
        );
      });
    });
  };
}

function syncJobs(
  file: ConfigFile,
  args: CommandArgs,
  host: CommandHost,
  observer: RunObserver,
): Promise<RunSummary> {
  return withJobs(file, args, host, observer, async (input) => {
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
  });
}

async function withJobs<T>(
  file: ConfigFile,
  args: CommandArgs,
  host: CommandHost,
  { emit, note, askForSpace }: RunObserver,
  work: (input: SyncInput) => Promise<T>,
): Promise<T> {
  const settings = readSettings(
    host.env,
    readOptions(SETTING_OPTIONS, args),
    host.home,
    toConfigSettings(file, host.home),
  );
  const allArgs = createRunArgs(file, args);
  const run = await withConfigLocation(file, [], args, () => readRun(allArgs));
  const stallTimeoutMs = await withConfigLocation(file, [], args, () => readStallTimeout(allArgs));
  const jobs = selectJob(await readSyncJobs(file, args, host.signal, host.home), readTextFlag(args, 'job'));
  return withServiceSession(args, host, { settings, note }, ({ client }) =>
    withDestination(settings, { stallTimeoutMs, signal: host.signal }, (destination) =>
      work({
        client,
        cache: settings.cacheDir,
        destination,
        jobs,
        ...run,
        // The command line may contain secrets: a ping URL, a hook command.
        owner: { ...createLockOwner(host), command: 'tickhaul sync' },
        askForSpace: askForSpace?.(),
        emit,
        signal: host.signal,
      }),
    ),
  );
}

type RunSettings = Pick<SyncInput, 'options' | 'lockTimeoutMs' | 'waiting' | 'maxDurationMs'>;

function readRun(args: CommandArgs): RunSettings {
  const timeoutMs = readDuration(args, 'timeout');
  const wait = readBooleanFlag(args, 'wait');
  if (timeoutMs !== undefined && !wait) throw usageError('--timeout requires --wait; add it');
  return {
    options: readDownloadOptions(readOptions(COMMAND_OPTIONS.sync, args)),
    lockTimeoutMs: readDuration(args, 'lock-timeout') ?? 0,
    waiting: wait ? { timeoutMs: timeoutMs ?? Number.POSITIVE_INFINITY } : undefined,
    maxDurationMs: readDuration(args, 'max-duration'),
  };
}
