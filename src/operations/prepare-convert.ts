import { availableParallelism } from 'node:os';
import { DEFAULT_OUTPUT_FORMAT, type OutputFormatName } from '../base/output-format-names.js';
import type { ConvertInput } from '../convert/convert-files.js';
import type { OutputSelection } from '../convert/output-selection.js';
import { STDOUT_FORMAT } from '../format/output-formats.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { readOptions } from '../options/read-options.js';
import type { CommandArgs } from './arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDataType,
  readLocation,
  readLocations,
  readShard,
  readTextFlag,
} from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { readConvertOptions, readOutputSelection } from './selection/read-conversion-options.js';
import { readSymbolLists } from './selection/read-selection.js';
import { withDegradedFilter } from './selection/with-degraded-filter.js';
import { readStoreSettings } from './with-destination.js';

/** Sources, outputs and options of a conversion, without its destination. */
export interface ConvertSelection
  extends Pick<ConvertInput, 'paths' | 'symbols' | 'shard' | 'options' | 'dataType' | 'jobs' | 'store'> {
  readonly outputSelection: OutputSelection;
}

/** @throws usage error. */
export async function readConvertSelection(args: CommandArgs, host: CommandHost): Promise<ConvertSelection> {
  const options = readOptions(COMMAND_OPTIONS.convert, args);
  const paths = readLocations(args, 'path');
  const out = readLocation(args, 'out');
  const format = readTextFlag(args, 'format') ?? (out === '-' ? STDOUT_FORMAT : DEFAULT_OUTPUT_FORMAT);
  return {
    options: readConvertOptions(options, format as OutputFormatName),
    paths,
    symbols: await readSymbolLists(options.symbols, host.signal),
    shard: readShard(args),
    dataType: readDataType(args, 'type'),
    outputSelection: readOutputSelection(options),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    store: await readStoreSettings(args, host, [...paths, out]),
  };
}

/** Prepares `convert`, from day files to files of an output format. @throws usage error. */
export async function prepareConvert(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const input = {
    ...(await readConvertSelection(args, host)),
    out: readLocation(args, 'out'),
    layout: readOptions(COMMAND_OPTIONS.convert, args).layout,
    existing: readTextFlag(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
    keepSource: !readBooleanFlag(args, 'no-keep-source'),
    signal: host.signal,
  } as const;
  const { convertFiles } = await import('../convert/convert-files.js');
  return ({ emit }) =>
    withDegradedFilter(args, host, input.store, emit, (isExcluded) =>
      convertFiles({ ...input, isExcluded, emit }),
    );
}
