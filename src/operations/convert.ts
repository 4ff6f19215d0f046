import { availableParallelism } from 'node:os';
import type { ConvertInput } from '../convert/convert-files.js';
import type { OutputSelection } from '../convert/output-selection.js';
import type { RunSummary } from '../events/run-events.js';
import { STDOUT_FORMAT } from '../format/output-formats.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { openDegradedFilter } from './selection/degraded-filter.js';
import { readConvertOptions, readOutputSelection } from './selection/read-conversion-options.js';
import { readSourcePaths } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';

/** Options of `convert`. */
export type ConvertValues = CommandValues<typeof COMMAND_OPTIONS.convert>;

/** Sources, filter and options of a conversion, without its destination. */
export interface ConvertSelection
  extends Pick<ConvertInput, 'paths' | 'selection' | 'options' | 'jobs' | 'store' | 'isExcluded'> {
  readonly outputSelection: OutputSelection;
}

/** @throws usage error. */
export async function openConvertSelection(
  options: ConvertValues,
  context: Context,
): Promise<ConvertSelection> {
  const { out, format, jobs = availableParallelism() } = options;
  const paths = await readSourcePaths(options, context);
  const isToStdout = out === '-' && !options.given.has('format');
  const selection = {
    options: readConvertOptions(options, isToStdout ? STDOUT_FORMAT : format),
    paths,
    selection: await readDayFileSelection(options, context),
    outputSelection: readOutputSelection(options),
    jobs,
  };
  const store = await context.storeOf([...paths, out]);
  const isExcluded = options.skipDegraded ? await openDegradedFilter(context, store) : undefined;
  return { ...selection, store, isExcluded };
}

/** `convert`: from day files to files of an output format. */
export async function runConvert(options: ConvertValues, context: Context): Promise<RunSummary> {
  const { emit, signal } = context;
  const { out, layout, existing, noKeepSource } = options;
  const selection = await openConvertSelection(options, context);
  const { convertFiles } = await import('../convert/convert-files.js');
  return convertFiles({ ...selection, out, layout, existing, keepSource: !noKeepSource, emit, signal });
}
