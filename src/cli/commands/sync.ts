import { usageError } from '../../base/errors.js';
import type { ConfigFile } from '../../config/parse.js';
import type { EventSink, RunSummary } from '../../run/events.js';
import type { SyncInput } from '../../sync/types.js';
import { CONVERT_ON_ARRIVAL_FLAGS, DOWNLOAD_FLAGS, SYNC_FLAGS } from '../arguments/flags.js';
import { readDuration, readText, readToggle } from '../../commands/arguments/read.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { askForSpaceOn } from '../ask.js';
import { loadConfig, settingsOf } from '../../commands/config/file.js';
import { inPlace, jobNamed, readJobs, runArgs } from '../../commands/config/jobs.js';
import { readSettings } from '../../commands/environment.js';
import { lockOwner } from '../../commands/lock-owner.js';
import { type Notifications, notified } from '../../commands/notify/notified.js';
import { readPing } from '../../commands/notify/ping.js';
import type { Reporter } from '../output/run/reporter.js';
import { readDownloadOptions } from '../../commands/selection/selection.js';
import { reportRun, withSession } from '../session.js';

export const sync: Action = {
  flags: { ...SYNC_FLAGS, ...DOWNLOAD_FLAGS, ...CONVERT_ON_ARRIVAL_FLAGS },
  examples: [
    ['$0 sync', 'the jobs of ./tickhaul.yaml, or of the one in the user’s config folder'],
    ['$0 sync --wait --timeout 6h --quiet', 'for cron: waits until yesterday is exported'],
    ['$0 sync --job btc --max-duration 4h', 'one job, and no new file after four hours'],
  ],
  async run(args, cli) {
    return reportRun(args, cli, async (reporter, emit) => {
      const config = await tryLoad(args, cli);
      const allArgs = config.file ? runArgs(config.file, args) : args;
      // Whatever is wrong with the file, those whom the flags name hear of it.
      const read = (): Notifications => readNotifications(allArgs);
      const notifications = config.file ? await inPlace(config.file, [], args, read) : read();
      return notified(notifications, cli, emit, async () => {
        if (!config.file) throw config.error;
        return syncJobs(config.file, args, cli, reporter, emit);
      });
    });
  },
};

type Loaded =
  | { readonly file: ConfigFile; readonly error?: undefined }
  | { readonly file?: undefined; readonly error: unknown };

async function tryLoad(args: Args, cli: Cli): Promise<Loaded> {
  try {
    const file = await loadConfig(args, cli);
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

async function syncJobs(
  file: ConfigFile,
  args: Args,
  cli: Cli,
  reporter: Reporter,
  emit: EventSink,
): Promise<RunSummary> {
  const settings = readSettings(cli.env, args, cli.home, settingsOf(file, cli.home));
  const allArgs = runArgs(file, args);
  const run = await inPlace(file, [], args, () => readRun(allArgs, settings.downloadDir));
  const jobs = jobNamed(await readJobs(file, args, settings.downloadDir, cli.signal), readText(args, 'job'));
  return withSession(args, cli, { settings, note: reporter.note }, async ({ client }) => {
    const syncModule = await import('../../sync/run.js');
    return syncModule.sync({
      client,
      cache: settings.cacheDir,
      jobs,
      ...run,
      // Its flags may hold secrets: an address to ping, a command to run.
      owner: { ...lockOwner(cli), command: 'tickhaul sync' },
      askForSpace: askForSpaceOn(args, cli),
      emit,
      signal: cli.signal,
    });
  });
}

type RunSettings = Pick<SyncInput, 'options' | 'lockTimeoutMs' | 'waiting' | 'maxDurationMs'>;

function readRun(args: Args, dir: string): RunSettings {
  const timeoutMs = readDuration(args, 'timeout');
  const wait = readToggle(args, 'wait');
  if (timeoutMs !== undefined && !wait) throw usageError('--timeout goes with --wait; add it');
  return {
    options: readDownloadOptions(args, dir),
    lockTimeoutMs: readDuration(args, 'lock-timeout') ?? 0,
    waiting: wait ? { timeoutMs: timeoutMs ?? Number.POSITIVE_INFINITY } : undefined,
    maxDurationMs: readDuration(args, 'max-duration'),
  };
}
