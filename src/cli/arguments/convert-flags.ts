import { grouped, toggle, value } from './flag.js';
import { SERIES_FLAGS, SHARD_FLAGS } from './folder-flags.js';

/** What a conversion makes of the data: `convert`, `download` (contract, Convert). */
const ENCODING_FLAGS = {
  as: value(
    'make bars, book snapshots or quotes instead of the rows, as trade_bar_1m,quote_1s; add "rows" to have the rows too',
  ),
  compression: value(
    'of the output; snappy is for Parquet only (default: zstd for Parquet, none for NDJSON)',
    {
      choices: ['zstd', 'snappy', 'gzip', 'none'],
    },
  ),
  'row-group': value('rows of a Parquet row group, as 64k (default: 128k; fewer for books of 25 levels)'),
  times: value('how times are written (default: timestamp in Parquet, int (microseconds) in NDJSON)', {
    choices: ['timestamp', 'int', 'iso'],
  }),
  numbers: value('how numbers are written; "string" keeps the text of the CSV exactly (default: double)', {
    choices: ['double', 'string'],
  }),
};

/** Conversion on the way: `plan`, `download` (contract, Download). */
export const CONVERT_ON_ARRIVAL_FLAGS = grouped('Conversion:', {
  convert: value('convert each file as it arrives', { choices: ['parquet', 'ndjson'] }),
  'no-keep-csv': toggle('keep only what is made of it'),
  ...ENCODING_FLAGS,
});

/** How files are converted: `convert` (contract, Convert). */
export const CONVERT_FLAGS = grouped('Conversion:', {
  format: value('what to make of each file (default: parquet)', {
    alias: 'f',
    choices: ['parquet', 'ndjson'],
  }),
  out: value(
    'folder or s3://bucket/prefix for the outputs, or "-" for NDJSON to stdout (default: beside each source)',
    {
      alias: 'o',
    },
  ),
  layout: value('where outputs go under the folder: flat, hive, or a template (default: flat)'),
  symbol: SERIES_FLAGS.symbol,
  ...SHARD_FLAGS,
  ...ENCODING_FLAGS,
  type: value('data type of all files (default: from the file name, else the header)'),
  jobs: value('files at once (default: the number of processors)', { alias: 'j' }),
  existing: value(
    'what to do with outputs that are there; skip is for those of the very same source (default: skip)',
    {
      choices: ['skip', 'overwrite'],
    },
  ),
  'no-keep-source': toggle('delete each source once its conversion is whole'),
});
