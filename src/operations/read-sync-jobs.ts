import { dirname } from 'node:path';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import type { ConfigPath } from '../options/config-document.js';
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
import type { ConfigFile } from '../options/parse-config.js';
import { type GivenOptions, overrideOptions, readOptions } from '../options/read-options.js';
import {
  findSettingsInMessage,
  flagsToSettingsInMessage,
  settingsToArgs,
  settingToFlag,
} from '../options/setting-names.js';
import { SYNC_AUDIT_OPTIONS } from '../options/sync-options.js';
import type { SyncJob } from '../sync/sync-options.js';
import { expandHomeInArgs } from './expand-home.js';
import { resolveConfigPath } from './load-config.js';
import { readExportSetting } from './selection/read-export-setting.js';
import { readDownloadOptions, readSelection } from './selection/read-selection.js';

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
export function selectJob(jobs: readonly SyncJob[], name: string | undefined): readonly SyncJob[] {
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
export async function withConfigLocation<T>(
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
