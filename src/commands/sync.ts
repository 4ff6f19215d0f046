import { usageError } from '../base/errors.js';
import type { ConfigFile } from '../config/parse.js';
import type { RunSummary } from '../run/events.js';
import type { SyncInput } from '../sync/types.js';
import type { Args } from './arguments/args.js';
import { readDuration, readText, readToggle } from './arguments/read.js';
import { loadConfig, settingsOf } from './config/file.js';
import { inPlace, jobNamed, readJobs, runArgs } from './config/jobs.js';
import { withDestination } from './destination.js';
import { readSettings } from './environment.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import { type Notifications, notified } from './notify/notified.js';
import { readPing } from './notify/ping.js';
import { type ShownPlan, shownPlan } from './plan.js';
import type { Run, Teller } from './run.js';
import { readDownloadOptions, readStallTimeout } from './selection/selection.js';
import { withSession } from './session.js';

/**
 * The jobs of a config file, brought up to date (contract, Sync). Options and file are read by the run itself, as those
 * whom they name are told of what is wrong with them.
 */
export function prepareSync(args: Args, host: Host): Run {
  return async (teller) => {
    const config = await tryLoad(args, host);
    const allArgs = config.file ? runArgs(config.file, args) : args;
    // Whatever is wrong with the file, those whom the flags name hear of it.
    const read = (): Notifications => readNotifications(allArgs);
    const notifications = config.file ? await inPlace(config.file, [], args, read) : read();
    return notified(notifications, host, teller.emit, async () => {
      if (!config.file) throw config.error;
      return syncJobs(config.file, args, host, teller);
    });
  };
}

type Loaded =
  | { readonly file: ConfigFile; readonly error?: undefined }
  | { readonly file?: undefined; readonly error: unknown };

async function tryLoad(args: Args, host: Host): Promise<Loaded> {
  try {
    const file = await loadConfig(args, host);
    if (file) return { file };
    throw usageError(
      'no config file: write ./tickhaul.yaml with the jobs to keep up to date, or name one with --config',
    );
  } catch (error) {
    return { error };
  }
}

function readNotifications(args: Args): Notifications {
  return {
    onSuccess: readText(args, 'on-success'),
    onFailure: readText(args, 'on-failure'),
    ping: readPing(args),
  };
}

/** Shows the plan of one job, and resolves with what it comes to. */
export type ShowPlan = (shown: ShownPlan) => Promise<RunSummary>;

/** What a sync would do, job by job: no lock is taken, nothing is written, and no hook or ping is called. */
export function prepareSyncPlan(
  args: Args,
  host: Host,
): (teller: Teller, show: ShowPlan) => Promise<RunSummary> {
  return async (teller, show) => {
    const config = await tryLoad(args, host);
    if (!config.file) throw config.error;
    const allArgs = runArgs(config.file, args);
    await inPlace(config.file, [], args, () => readNotifications(allArgs));
    return withJobs(config.file, args, host, teller, async (input) => {
      const { planJobs } = await import('../sync/plan-jobs.js');
      const { destination, emit } = input;
      return planJobs(input, ({ name, ...planned }) => {
        const began = performance.now();
        return show(shownPlan({ ...planned, destination, emit, began, job: name }));
      });
    });
  };
}

function syncJobs(file: ConfigFile, args: Args, host: Host, teller: Teller): Promise<RunSummary> {
  return withJobs(file, args, host, teller, async (input) => {
    const { sync } = await import('../sync/run.js');
    return sync(input);
  });
}

async function withJobs<T>(
  file: ConfigFile,
  args: Args,
  host: Host,
  { emit, note, askForSpace }: Teller,
  work: (input: SyncInput) => Promise<T>,
): Promise<T> {
  const settings = readSettings(host.env, args, host.home, settingsOf(file, host.home));
  const allArgs = runArgs(file, args);
  const run = await inPlace(file, [], args, () => readRun(allArgs));
  const stallTimeoutMs = await inPlace(file, [], args, () => readStallTimeout(allArgs));
  const jobs = jobNamed(await readJobs(file, args, host.signal), readText(args, 'job'));
  return withSession(args, host, { settings, note }, ({ client }) =>
    withDestination(settings, { stallTimeoutMs, signal: host.signal }, (destination) =>
      work({
        client,
        cache: settings.cacheDir,
        destination,
        jobs,
        ...run,
        // Its flags may hold secrets: an address to ping, a command to run.
        owner: { ...lockOwner(host), command: 'tickhaul sync' },
        askForSpace,
        emit,
        signal: host.signal,
      }),
    ),
  );
}

type RunSettings = Pick<SyncInput, 'options' | 'lockTimeoutMs' | 'waiting' | 'maxDurationMs'>;

function readRun(args: Args): RunSettings {
  const timeoutMs = readDuration(args, 'timeout');
  const wait = readToggle(args, 'wait');
  if (timeoutMs !== undefined && !wait) throw usageError('--timeout goes with --wait; add it');
  return {
    options: readDownloadOptions(args),
    lockTimeoutMs: readDuration(args, 'lock-timeout') ?? 0,
    waiting: wait ? { timeoutMs: timeoutMs ?? Number.POSITIVE_INFINITY } : undefined,
    maxDurationMs: readDuration(args, 'max-duration'),
  };
}
