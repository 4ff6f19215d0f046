import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../../base/errors.js';
import {
  DEFAULT_OUTPUT_FORMAT,
  findOutputExtension,
  findOutputFormat,
  type OutputFormatName,
} from '../../base/output-format-names.js';
import { type OutputSelection, parseOutputSelection, ROWS_ONLY } from '../../convert/output-selection.js';
import type { ConvertSetting } from '../../download/download-options.js';
import type { OutputOptions } from '../../format/output-format.js';
import { createOutputOptions, hasDayFileExtension, OUTPUT_FORMATS } from '../../format/output-formats.js';
import { type BarRules, isTimeBar } from '../../market/message-type-name.js';
import { type ARRIVAL_OPTIONS, ENCODING_OPTIONS } from '../../options/day-file-options.js';
import type { ReadOptions } from '../../options/option-values.js';

type EncodingOptions = ReadOptions<typeof ENCODING_OPTIONS>;

/**
 * Conversion options with their defaults.
 * @throws usage error for a value that the format does not support.
 */
export function readConvertOptions(
  { compression, times, numbers, encodings, rowGroup, given }: EncodingOptions,
  format: OutputFormatName,
): OutputOptions {
  return createOutputOptions(format, {
    compression,
    times,
    // A format without a choice refuses the option.
    numbers: given.has('numbers') ? numbers : undefined,
    encodings: encodings === 'plain' ? 'plain' : undefined,
    rowGroup,
  });
}

/**
 * Conversion options for a file whose name states the format, and perhaps the compression.
 * @param given value of `--format`; undefined if it was not given.
 * @throws usage error for a value that the format does not support, or that the name contradicts.
 */
export function readConvertFileOptions(
  options: EncodingOptions,
  path: string,
  given: OutputFormatName | undefined,
): OutputOptions {
  const name = findOutputFormat(path) ?? DEFAULT_OUTPUT_FORMAT;
  const extension = findOutputExtension(path);
  if (given !== undefined && given !== name)
    throw usageError(
      `-o ${path}: names a file of ${name}, but --format is ${given}; leave out --format, or change the name`,
    );
  const format = OUTPUT_FORMATS[name];
  const stated = format.compressions.find((compression) => format.extension(compression) === extension);
  const read = readConvertOptions({ ...options, compression: options.compression ?? stated }, name);
  const expected = format.extension(read.compression);
  if (expected === extension) return read;
  throw usageError(
    `-o ${path}: the name of a file with --compression ${read.compression} ends in .${expected}; change it, or leave out --compression`,
  );
}

/**
 * Outputs of `--as` (docs/spec/computed-data.md#day-files); the rows if it is absent.
 * @throws usage error for a name that is not a computed type, with the nearest known name; for rules of bars without any.
 */
export function readOutputSelection(options: BarOptions): OutputSelection {
  return readOutputNames(options) ?? ROWS_ONLY;
}

type BarOptions = Pick<EncodingOptions, 'as' | 'barTime' | 'fill'>;

function readOutputNames({ as, barTime, fill }: BarOptions): OutputSelection | undefined {
  const rules: BarRules = {
    barTime: barTime === 'open' ? barTime : undefined,
    fill: fill ? 'close' : undefined,
  };
  const selection = as && parseNames(as, rules);
  const rule = rules.barTime ? '--bar-time open' : rules.fill ? '--fill' : undefined;
  if (rule !== undefined && !selection?.computed.some(isTimeBar))
    throw usageError(`${rule}: applies only to time bars; name some with --as, such as trade_bar_1m`);
  return selection;
}

function parseNames(names: readonly string[], rules: BarRules): OutputSelection {
  try {
    return parseOutputSelection(names, rules);
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

const ENCODING_FLAGS = Object.keys(ENCODING_OPTIONS) as (keyof typeof ENCODING_OPTIONS)[];

/** Conversion of files on arrival; undefined without `--convert`. */
export function readConvertSetting(
  options: ReadOptions<typeof ARRIVAL_OPTIONS> & EncodingOptions,
): ConvertSetting | undefined {
  const keepCsv = !options.noKeepCsv;
  if (options.convert !== undefined) {
    const outputOptions = readConvertOptions(options, options.convert);
    if (hasDayFileExtension(outputOptions))
      throw usageError(
        `--compression ${outputOptions.compression}: a converted CSV would have the name of a day file; use zstd or none`,
      );
    return {
      options: outputOptions,
      outputSelection: readOutputNames(options),
      keepCsv,
      threads: countConversionThreads(),
    };
  }
  const unusedFlag = ENCODING_FLAGS.find((flag) => options.given.has(flag));
  if (unusedFlag !== undefined || !keepCsv) {
    throw usageError(
      `--${unusedFlag ?? 'no-keep-csv'} needs --convert: name a format, such as --convert parquet`,
    );
  }
  return undefined;
}
