import type { OutputFormatName } from '../base/output-format-names.js';
import { ARROW_FORMAT } from './arrow/arrow-format.js';
import { NDJSON_FORMAT } from './ndjson/ndjson-format.js';
import type { OutputFormat } from './output-format.js';
import { PARQUET_FORMAT } from './parquet/parquet-format.js';

/** All output formats. */
export const OUTPUT_FORMATS: Readonly<Record<OutputFormatName, OutputFormat>> = {
  parquet: PARQUET_FORMAT,
  ndjson: NDJSON_FORMAT,
  arrow: ARROW_FORMAT,
};

/** The format of rows on stdout. */
export const STDOUT_FORMAT: OutputFormatName = 'ndjson';
