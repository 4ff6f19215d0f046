import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import { SERIES_FLAGS, SHARD_FLAGS } from './folder-flags.js';

/** What a conversion makes of the data: `convertCommand`, `downloadCommand` (contract, Convert). */
const ENCODING_FLAGS = {
  as: valueFlag(
    'make bars, book snapshots or quotes instead of the rows, as trade_bar_1m,quote_1s; add "rows" to have the rows too',
  ),
  compression: valueFlag(
    'of the output; snappy is for Parquet only (default: zstd for Parquet, none for NDJSON)',
    {
      choices: ['zstd', 'snappy', 'gzip', 'none'],
    },
  ),
  'row-group': valueFlag('rows of a Parquet row group, as 64k (default: 128k; fewer for books of 25 levels)'),
  times: valueFlag('how times are written (default: timestamp in Parquet, int (microseconds) in NDJSON)', {
    choices: ['timestamp', 'int', 'iso'],
  }),
  numbers: valueFlag(
    'how numbers are written; "string" keeps the text of the CSV exactly (default: double)',
    {
      choices: ['double', 'string'],
    },
  ),
};

/** Conversion on the way: `planCommand`, `downloadCommand` (contract, Download). */
export const CONVERT_ON_ARRIVAL_FLAGS = groupFlags('Conversion:', {
  convert: valueFlag('convert each file as it arrives', { choices: ['parquet', 'ndjson'] }),
  'no-keep-csv': booleanFlag('keep only what is made of it'),
  ...ENCODING_FLAGS,
});

/** How files are converted: `convertCommand` (contract, Convert). */
export const CONVERT_FLAGS = groupFlags('Conversion:', {
  format: valueFlag('what to make of each file (default: parquet)', {
    alias: 'f',
    choices: ['parquet', 'ndjson'],
  }),
  out: valueFlag(
    'folder or s3://bucket/prefix for the outputs, or "-" for NDJSON to stdout (default: beside each source)',
    {
      alias: 'o',
    },
  ),
  layout: valueFlag('where outputs go under the folder: flat, hive, or a template (default: flat)'),
  symbol: SERIES_FLAGS.symbol,
  ...SHARD_FLAGS,
  ...ENCODING_FLAGS,
  type: valueFlag('data type of all files (default: from the file name, else the header)'),
  jobs: valueFlag('files at once (default: the number of processors)', { alias: 'j' }),
  existing: valueFlag(
    'what to do with outputs that are there; skip is for those of the very same source (default: skip)',
    {
      choices: ['skip', 'overwrite'],
    },
  ),
  'no-keep-source': booleanFlag('delete each source once its conversion is whole'),
});
