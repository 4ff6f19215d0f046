import { OUTPUT_FORMAT_CHOICES } from '../../base/output-format-names.js';
import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import { SERIES_FLAGS, SHARD_FLAGS } from './folder-flags.js';

/** Contents and encoding of converted files: `convert`, `plan`, `download`. */
const ENCODING_FLAGS = {
  as: valueFlag(
    'computed types to write instead of rows, such as trade_bar_1m,quote_1s; add "rows" to write both',
  ),
  compression: valueFlag(
    'compression of the output; snappy only for Parquet (default: zstd for Parquet, none for NDJSON)',
    {
      choices: ['zstd', 'snappy', 'gzip', 'none'],
    },
  ),
  'row-group': valueFlag(
    'rows per Parquet row group, such as 64k (default: 128k; fewer for books of 25 levels)',
  ),
  times: valueFlag('format of times (default: timestamp in Parquet, int (microseconds) in NDJSON)', {
    choices: ['timestamp', 'int', 'iso'],
  }),
  numbers: valueFlag('format of numbers; string keeps the exact text of the CSV (default: double)', {
    choices: ['double', 'string'],
  }),
};

/** Conversion on arrival: `plan`, `download`, `sync`, `enqueue`. */
export const CONVERT_ON_ARRIVAL_FLAGS = groupFlags('Conversion:', {
  convert: valueFlag('convert each file on arrival', { choices: OUTPUT_FORMAT_CHOICES }),
  'no-keep-csv': booleanFlag('keep only the converted file'),
  ...ENCODING_FLAGS,
});

/** Conversion of existing files: `convert`. */
export const CONVERT_FLAGS = groupFlags('Conversion:', {
  format: valueFlag('format of the output (default: parquet)', {
    alias: 'f',
    choices: OUTPUT_FORMAT_CHOICES,
  }),
  out: valueFlag(
    'folder or s3://bucket/prefix for the output, or "-" for NDJSON on stdout (default: beside each source)',
    {
      alias: 'o',
    },
  ),
  layout: valueFlag('paths of outputs under the folder: flat, hive, or a template (default: flat)'),
  symbol: SERIES_FLAGS.symbol,
  ...SHARD_FLAGS,
  ...ENCODING_FLAGS,
  type: valueFlag('data type of all files (default: from the file name, else from the header)'),
  jobs: valueFlag('files to convert at once (default: the number of processors)', { alias: 'j' }),
  existing: valueFlag(
    'treatment of existing outputs; skip only applies if the source is unchanged (default: skip)',
    {
      choices: ['skip', 'overwrite'],
    },
  ),
  'no-keep-source': booleanFlag('delete each source after its complete conversion'),
});
