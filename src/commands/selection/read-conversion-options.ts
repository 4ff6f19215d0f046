import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../../base/errors.js';
import { type OutputSelection, parseOutputSelection, ROWS_ONLY } from '../../convert/output-selection.js';
import type { ConvertSetting } from '../../download/download-options.js';
import { type ConvertOptions, createConvertOptions, type Format } from '../../format/convert-options.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readListFlag, readTextFlag } from '../arguments/read-arguments.js';

/** How to convert, with the contract's defaults. @throws usage error for what the format doesn't know. */
export function readConvertOptions(args: CommandArgs, format: Format): ConvertOptions {
  return createConvertOptions(format, {
    compression: readTextFlag(args, 'compression') as ConvertOptions['compression'] | undefined,
    times: readTextFlag(args, 'times') as ConvertOptions['times'] | undefined,
    numbers: readTextFlag(args, 'numbers') as ConvertOptions['numbers'] | undefined,
    rowGroup: readRows(readTextFlag(args, 'row-group')),
  });
}

/**
 * What to make of day files: `--as` (contract, Computed types of day files); their rows without it.
 * @throws usage error for a name that is no computed type, with the nearest.
 */
export function readOutputSelection(args: CommandArgs): OutputSelection {
  return readNames(args) ?? ROWS_ONLY;
}

function readNames(args: CommandArgs): OutputSelection | undefined {
  const names = readListFlag(args, 'as');
  try {
    return names && parseOutputSelection(names);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--as: ${error.message}`);
    throw error;
  }
}

/** Each holds batches of its own, and these keep up with 2 Gbit/s. */
const MAX_THREADS = 8;

/** That convert files as they arrive. */
export function countConversionThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

/** What to make of files as they arrive; undefined without `--convert`. */
export function readConvertSetting(args: CommandArgs): ConvertSetting | undefined {
  const format = readTextFlag(args, 'convert');
  const keepCsv = !readBooleanFlag(args, 'no-keep-csv');
  if (format !== undefined) {
    const options = readConvertOptions(args, format as Format);
    return {
      options,
      outputSelection: readNames(args),
      keepCsv,
      threads: countConversionThreads(),
    };
  }
  const useless = ['as', 'compression', 'row-group', 'times', 'numbers'].find(
    (flag) => args[flag] !== undefined,
  );
  if (useless !== undefined || !keepCsv) {
    throw usageError(`--${useless ?? 'no-keep-csv'} needs --convert: name a format, as --convert parquet`);
  }
  return undefined;
}

const MAX_ROW_GROUP = 1024 * 1024;

/** A count of rows; `128k` is 128 times 1024. */
function readRows(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(k?)$/i.exec(text);
  const rows = Number(match?.[1]) * (match?.[2] ? 1024 : 1);
  if (rows >= 1 && rows <= MAX_ROW_GROUP) return rows;
  throw usageError(`--row-group: "${text}" is not a number of rows, 1 to 1024k`);
}
