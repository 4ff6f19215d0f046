import { availableParallelism } from 'node:os';
import type { ConvertInput } from '../convert/convert-files.js';
import type { OutputSelection } from '../convert/output-selection.js';
import type { RunSummary } from '../events/run-events.js';
import { STDOUT_FORMAT } from '../format/output-formats.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { readConvertOptions, readOutputSelection } from './selection/read-conversion-options.js';
import { readSymbolLists } from './selection/read-selection.js';
import { openVerdictFilter } from './selection/verdict-filter.js';

/** Options of `convert`. */
export type ConvertValues = CommandValues<typeof COMMAND_OPTIONS.convert>;

/** Sources, filter and options of a conversion, without its destination. */
export interface ConvertSelection
  extends Pick<
    ConvertInput,
    'paths' | 'symbols' | 'shard' | 'options' | 'dataType' | 'jobs' | 'store' | 'exclusion'
  > {
  readonly outputSelection: OutputSelection;
}

/** @throws usage error. */
export async function openConvertSelection(
  options: ConvertValues,
  context: Context,
): Promise<ConvertSelection> {
  const { paths = [], out, format, symbols, shard, type, jobs = availableParallelism() } = options;
  const isToStdout = out === '-' && !options.given.has('format');
  const selection = {
    options: readConvertOptions(options, isToStdout ? STDOUT_FORMAT : format),
    paths,
    symbols: await readSymbolLists(symbols, context.signal),
    shard,
    dataType: type,
    outputSelection: readOutputSelection(options),
    jobs,
  };
  const store = await context.storeOf([...paths, out]);
  return { ...selection, store, exclusion: await openVerdictFilter(options, context, store) };
}

/** `convert`: from day files to files of an output format. */
export async function runConvert(options: ConvertValues, context: Context): Promise<RunSummary> {
  const { emit, signal } = context;
  const { out, layout, existing, noKeepSource } = options;
  const selection = await openConvertSelection(options, context);
  const { convertFiles } = await import('../convert/convert-files.js');
  return convertFiles({ ...selection, out, layout, existing, keepSource: !noKeepSource, emit, signal });
}
