import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import { findOutputFormat } from '../base/output-format-names.js';
import { findOutput } from '../base/output-sink.js';
import type { ConvertInput } from '../convert/convert-files.js';
import type { OutputSelection } from '../convert/output-selection.js';
import type { RunSummary } from '../events/run-events.js';
import { STDOUT_FORMAT } from '../format/output-formats.js';
import type { ComputedType } from '../market/message-type-name.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import { hasObjectKey, isObjectLocation } from '../store/location.js';
import type { Context } from './context.js';
import {
  readConvertFileOptions,
  readConvertOptions,
  readOutputSelection,
} from './selection/read-conversion-options.js';
import { readSourcePaths } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';
import { openVerdictFilter } from './selection/verdict-filter.js';

export type ConvertValues = CommandValues<typeof COMMAND_OPTIONS.convert>;

/** Sources, filter and options of a conversion, without its destination. */
export interface ConvertSelection
  extends Pick<ConvertInput, 'paths' | 'selection' | 'options' | 'jobs' | 'store' | 'exclusion'> {
  readonly outputSelection: OutputSelection;
}

/** @throws usage error. */
export async function openConvertSelection(
  options: ConvertValues,
  context: Context,
): Promise<ConvertSelection> {
  const { out, format, jobs = availableParallelism() } = options;
  const paths = await readSourcePaths(options, context);
  const isGiven = options.given.has('format');
  const selection = {
    options: isOneFile(out)
      ? readConvertFileOptions(options, out, isGiven ? format : undefined)
      : readConvertOptions(options, out === '-' && !isGiven ? STDOUT_FORMAT : format),
    paths,
    selection: await readDayFileSelection(options, context),
    outputSelection: readOutputSelection(options),
    jobs,
  };
  const store = await context.storeOf([...paths, out]);
  return { ...selection, store, exclusion: await openVerdictFilter(options, context, store) };
}

/** `convert`: from day files to files of an output format, or to one file of all. */
export async function runConvert(options: ConvertValues, context: Context): Promise<RunSummary> {
  const { emit, signal } = context;
  const { out, layout, existing, noKeepSource } = options;
  const selection = await openConvertSelection(options, context);
  const input = { ...selection, existing, keepSource: !noKeepSource, emit, signal };
  if (isOneFile(out)) {
    if (options.given.has('layout')) throw usageError(`--layout has no effect with -o ${out}; omit it`);
    const computed = selectSingleOutput(selection.outputSelection, out);
    const target = await resolveTarget(out);
    const { convertToFile } = await import('../convert/convert-to-file.js');
    return convertToFile({ ...input, computed, target });
  }
  const { convertFiles } = await import('../convert/convert-files.js');
  return convertFiles({ ...input, out, layout });
}

/** Whether `--out` names a file, by the extension of an output format. A bucket, or a name with a slash, is a folder. */
function isOneFile(out: string | undefined): out is string {
  if (out === undefined || findOutputFormat(out) === undefined) return false;
  return !isObjectLocation(out) || hasObjectKey(out);
}

/** Follows symbolic links. @throws usage error for a folder or a pipe; `disk`. */
async function resolveTarget(out: string): Promise<string> {
  if (isObjectLocation(out)) return out;
  const target = await findOutput('out', out);
  if (target?.kind === 'file') return target.path;
  throw usageError(`--out: "${out}" is a pipe or a device; use -o - for stdout, or name a file`);
}

/** @throws usage error if several outputs are selected. */
export function selectSingleOutput(
  { rows, computed }: OutputSelection,
  out: string,
): ComputedType | undefined {
  if (computed.length + (rows ? 1 : 0) > 1) {
    throw usageError(`-o ${out} takes only one name of --as; specify a folder for several`);
  }
  return computed[0];
}
