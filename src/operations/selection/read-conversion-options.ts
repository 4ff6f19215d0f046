import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../../base/errors.js';
import type { OutputFormatName } from '../../base/output-format-names.js';
import { type OutputSelection, parseOutputSelection, ROWS_ONLY } from '../../convert/output-selection.js';
import type { ConvertSetting } from '../../download/download-options.js';
import type { OutputOptions } from '../../format/output-format.js';
import { createOutputOptions } from '../../format/output-formats.js';
import { ENCODING_OPTIONS } from '../../options/day-file-options.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readListFlag, readTextFlag } from '../arguments/read-arguments.js';

/**
 * Conversion options with their defaults.
 * @throws usage error for a value that the format does not support.
 */
export function readConvertOptions(args: CommandArgs, format: OutputFormatName): OutputOptions {
  return createOutputOptions(format, {
    compression: readTextFlag(args, 'compression') as OutputOptions['compression'] | undefined,
    times: readTextFlag(args, 'times') as OutputOptions['times'] | undefined,
    numbers: readTextFlag(args, 'numbers') as OutputOptions['numbers'] | undefined,
    encodings: readTextFlag(args, 'encodings') === 'plain' ? 'plain' : undefined,
    rowGroup: parseRowGroup(readTextFlag(args, 'row-group')),
  });
}

/**
 * Outputs of `--as` (docs/spec/computed-data.md#day-files); the rows if it is absent.
 * @throws usage error for a name that is not a computed type, with the nearest known name.
 */
export function readOutputSelection(args: CommandArgs): OutputSelection {
  return readOutputNames(args) ?? ROWS_ONLY;
}

function readOutputNames(args: CommandArgs): OutputSelection | undefined {
  const names = readListFlag(args, 'as');
  try {
    return names && parseOutputSelection(names);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--as: ${error.message}`);
    throw error;
  }
}

/** Each thread holds its own batches; this many threads keep up with 2 Gbit/s. */
const MAX_CONVERSION_THREADS = 8;

/** Number of threads that convert files on arrival. */
export function countConversionThreads(): number {
  return Math.min(MAX_CONVERSION_THREADS, availableParallelism());
}

/** Conversion of files on arrival; undefined without `--convert`. */
export function readConvertSetting(args: CommandArgs): ConvertSetting | undefined {
  const format = readTextFlag(args, 'convert');
  const keepCsv = !readBooleanFlag(args, 'no-keep-csv');
  if (format !== undefined) {
    const options = readConvertOptions(args, format as OutputFormatName);
    return {
      options,
      outputSelection: readOutputNames(args),
      keepCsv,
      threads: countConversionThreads(),
    };
  }
  const unusedFlag = Object.keys(ENCODING_OPTIONS).find((flag) => args[flag] !== undefined);
  if (unusedFlag !== undefined || !keepCsv) {
    throw usageError(
      `--${unusedFlag ?? 'no-keep-csv'} needs --convert: name a format, such as --convert parquet`,
    );
  }
  return undefined;
}

const MAX_ROW_GROUP_ROWS = 1024 * 1024;

/** A number of rows; `128k` is 128 times 1024. */
function parseRowGroup(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(k?)$/i.exec(text);
  const rows = Number(match?.[1]) * (match?.[2] ? 1024 : 1);
  if (rows >= 1 && rows <= MAX_ROW_GROUP_ROWS) return rows;
  throw usageError(`--row-group: "${text}" is not a number of rows, 1 to 1024k`);
}
