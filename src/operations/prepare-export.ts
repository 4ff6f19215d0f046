import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { readOptions } from '../options/read-options.js';
import type { CommandArgs } from './arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readLocation,
  readLocations,
  readShard,
  readTextFlag,
} from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { createExportContext } from './create-export-context.js';
import { readExportTarget } from './selection/read-export-setting.js';
import { readDayRange, readSeriesSelection, readStallTimeout } from './selection/read-selection.js';
import { withDegradedFilter } from './selection/with-degraded-filter.js';
import { withServiceSession } from './service-session.js';
import { toStoreSettings } from './with-destination.js';

/** Prepares `export`, which writes day files in the input format of a backtester. @throws usage error. */
export async function prepareExport(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const { signal } = host;
  const options = readOptions(COMMAND_OPTIONS.export, args);
  const out = readLocation(args, 'out');
  if (out === undefined || out === '-')
    throw usageError('--out: name the folder for the outputs, such as -o exports');
  const input = {
    ...(await readExportTarget(options.target ?? 'hftbacktest', options)),
    out,
    paths: readLocations(args, 'path'),
    selection: {
      ...(await readSeriesSelection(options, signal)),
      ...readDayRange(options),
      shard: readShard(args),
    },
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    existing: readTextFlag(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
  } as const;
  const offline = readBooleanFlag(args, 'offline');
  const stallTimeoutMs = readStallTimeout(args);
  const { exportFiles } = await import('../export/export-files.js');
  return ({ emit, note }) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) => {
      const store = toStoreSettings(settings, stallTimeoutMs);
      const context = createExportContext({ client, cache: settings.cacheDir, offline, emit, signal });
      return withDegradedFilter(args, host, store, emit, (isExcluded) =>
        exportFiles({ ...input, isExcluded, context, store, emit }),
      );
    });
}
