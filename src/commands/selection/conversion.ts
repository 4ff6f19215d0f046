import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../../base/errors.js';
import { parseWanted, ROWS, type Wanted } from '../../convert/wanted.js';
import type { ConvertSetting } from '../../download/types.js';
import { type ConvertOptions, convertOptions, type Format } from '../../format/options.js';
import type { Args } from '../arguments/args.js';
import { readList, readText, readToggle } from '../arguments/read.js';

/** How to convert, with the contract's defaults. @throws usage error for what the format doesn't know. */
export function readConvertOptions(args: Args, format: Format): ConvertOptions {
  return convertOptions(format, {
    compression: readText(args, 'compression') as ConvertOptions['compression'] | undefined,
    times: readText(args, 'times') as ConvertOptions['times'] | undefined,
    numbers: readText(args, 'numbers') as ConvertOptions['numbers'] | undefined,
    rowGroup: readRows(readText(args, 'row-group')),
  });
}

/**
 * What to make of day files: `--as` (contract, Computed types of day files); their rows without it.
 * @throws usage error for a name that is no computed type, with the nearest.
 */
export function readWanted(args: Args): Wanted {
  return readNames(args) ?? ROWS;
}

function readNames(args: Args): Wanted | undefined {
  const names = readList(args, 'as');
  try {
    return names && parseWanted(names);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--as: ${error.message}`);
    throw error;
  }
}

/** Each holds batches of its own, and these keep up with 2 Gbit/s. */
const MAX_THREADS = 8;

/** That convert files as they arrive. */
export function conversionThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

/** What to make of files as they arrive; undefined without `--convert`. */
export function readConvertSetting(args: Args): ConvertSetting | undefined {
  const format = readText(args, 'convert');
  const keepCsv = !readToggle(args, 'no-keep-csv');
  if (format !== undefined) {
    const options = readConvertOptions(args, format as Format);
    return {
      options,
      wanted: readNames(args),
      keepCsv,
      threads: conversionThreads(),
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
