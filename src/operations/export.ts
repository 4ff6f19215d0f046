import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../events/run-events.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { createExportContext } from './create-export-context.js';
import { readExportTarget } from './selection/read-export-setting.js';
import { readSourcePaths } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';
import { openVerdictFilter } from './selection/verdict-filter.js';

/** `export`: writes day files in the input format of a backtester. */
export async function runExport(
  options: CommandValues<typeof COMMAND_OPTIONS.export>,
  context: Context,
): Promise<RunSummary> {
  const { emit, signal } = context;
  const { target, out, existing, offline, jobs = availableParallelism() } = options;
  if (target === undefined) throw usageError('<target> is missing: name a backtester');
  if (out === undefined || out === '-')
    throw usageError('--out: name the folder for the outputs, such as -o exports');
  const paths = await readSourcePaths(options, context);
  const selection = await readDayFileSelection(options, context);
  const input = { ...(await readExportTarget(target, options)), out, paths, selection, jobs, existing };
  const { exportFiles } = await import('../export/export-files.js');
  const { cacheDir: cache } = await context.settings();
  const client = await context.client();
  const store = await context.store();
  const { EXPORT_TARGETS } = await import('../export/export-targets.js');
  const { dataTypes } = EXPORT_TARGETS[target];
  return exportFiles({
    ...input,
    exclusion: await openVerdictFilter(options, context, store, dataTypes),
    context: createExportContext({ client, cache, offline, emit, signal }),
    store,
    emit,
  });
}
