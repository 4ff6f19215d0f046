import { usageError } from '../base/errors.js';
import {
  OUTPUT_FORMAT_CHOICES,
  OUTPUT_FORMAT_TABLE,
  type OutputFormatName,
} from '../base/output-format-names.js';
import { joinWithOr } from '../base/units.js';
import { DAY_FILE_EXTENSION } from '../day-files/day-file.js';
import { ARROW_FORMAT } from './arrow/arrow-format.js';
import { CSV_FORMAT } from './csv/csv-format.js';
import { NDJSON_FORMAT } from './ndjson/ndjson-format.js';
import type { BatchKernel, KernelJob, OutputFormat, OutputOptions } from './output-format.js';
import { PARQUET_FORMAT } from './parquet/parquet-format.js';

/** All output formats. */
export const OUTPUT_FORMATS: Readonly<Record<OutputFormatName, OutputFormat>> = {
  parquet: PARQUET_FORMAT,
  ndjson: NDJSON_FORMAT,
  arrow: ARROW_FORMAT,
  csv: CSV_FORMAT,
};

/** The format of rows on stdout. */
export const STDOUT_FORMAT: OutputFormatName = 'ndjson';

/**
 * Adds the defaults of the format.
 * @throws TickhaulError `usage` for options that the format does not support.
 */
export function createOutputOptions(
  name: OutputFormatName,
  options: {
    readonly [K in 'compression' | 'rowGroup' | 'times' | 'numbers' | 'encodings']?:
      | OutputOptions[K]
      | undefined;
  },
): OutputOptions {
  const format = OUTPUT_FORMATS[name];
  const { label } = OUTPUT_FORMAT_TABLE[name];
  const {
    compression = format.compressions[0],
    rowGroup,
    times = format.times[0],
    numbers = 'double',
    encodings,
  } = options;
  if (!format.times.includes(times)) {
    const needed = listFormats((other) => other.times.includes(times));
    throw usageError(`--times ${times}: requires ${needed}; use ${joinWithOr(format.times)} for ${label}`);
  }
  if (!format.compressions.includes(compression)) {
    const needed = listFormats((other) => other.compressions.includes(compression));
    const others = format.compressions.filter(
      (other) => other !== 'none' || format.compressions.length === 1,
    );
    throw usageError(
      `--compression ${compression}: requires ${needed}; use ${joinWithOr(others)} for ${label}`,
    );
  }
  if (rowGroup !== undefined && !format.hasRowGroups) {
    const needed = listFormats((other) => other.hasRowGroups);
    throw usageError(`--row-group: requires ${needed}; ${label} has no row groups`);
  }
  if (encodings !== undefined && !format.hasEncodings) {
    const needed = listFormats((other) => other.hasEncodings);
    throw usageError(`--encodings ${encodings}: requires ${needed}; leave it out for ${label}`);
  }
  return {
    format: name,
    compression,
    ...(rowGroup !== undefined && { rowGroup }),
    times,
    numbers,
    ...(encodings !== undefined && { encodings }),
  };
}

/** Lists the formats that support an option, for messages. */
function listFormats(isSupported: (format: OutputFormat) => boolean): string {
  const names = OUTPUT_FORMAT_CHOICES.filter((name) => isSupported(OUTPUT_FORMATS[name]));
  return joinWithOr(names.map((name) => OUTPUT_FORMAT_TABLE[name].label));
}

/** Whether outputs have the extension of day files, so that one could be mistaken for the other. */
export function hasDayFileExtension({ format, compression }: OutputOptions): boolean {
  return `.${OUTPUT_FORMATS[format].extension(compression)}` === DAY_FILE_EXTENSION;
}

/**
 * Creates the kernel for a job's format. Its modules are loaded here, so that its methods can be synchronous.
 */
export function createBatchKernel(job: KernelJob): Promise<BatchKernel> {
  return OUTPUT_FORMATS[job.options.format].createKernel(job);
}
