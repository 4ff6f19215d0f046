import type { Options } from 'yargs';
import type { Flags } from './types.js';

/** A flag with a value; it is read, checked and converted by `read.ts`, so that each error names its flag. */
const value = (describe: string, more: Options = {}): Options => ({
  type: 'string',
  requiresArg: true,
  describe,
  ...more,
});
const toggle = (describe: string, more: Options = {}): Options => ({ type: 'boolean', describe, ...more });

const grouped = <T extends Flags>(group: string, flags: T): T =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }])) as unknown as T;

/** Flags of every command. */
export const GLOBAL_FLAGS = grouped('Everywhere:', {
  json: toggle('print JSON, for programs'),
  quiet: toggle('print errors only', { alias: 'q' }),
  verbose: toggle('print every request, and the stack of a bug'),
  'no-color': toggle('no colours; NO_COLOR does the same'),
  'api-url': value('metadata host (default: https://api.tardis.dev)'),
  'datasets-url': value('dataset host (default: https://datasets.tardis.dev)'),
  'api-key-file': value('read the API key from a file, or from stdin with "-" (default: TICKHAUL_API_KEY)'),
});

/** Which day files are meant: `plan`, `download` (contract, Selection). */
export const SELECTION_FLAGS = grouped('Selection:', {
  type: value('data types, comma-separated or repeated, or "all"', { alias: 't' }),
  symbol: value('dataset symbols, comma-separated or repeated; globs, @file (one a line) or "all"', {
    alias: 's',
  }),
  'symbol-type': value('only symbols of these types: spot, future, perpetual, option, combo …'),
  from: value('first UTC day, YYYY-MM-DD'),
  to: value('UTC day after the last one (default: the end of the export)'),
  date: value('a single UTC day, YYYY-MM-DD'),
  last: value('the last exported days: 7d'),
  dir: value('download folder (default: TICKHAUL_DIR, else ./datasets)', { alias: 'o' }),
  layout: value(
    'where files go under the folder: flat, hive, or a template of {exchange} {type} {date} … (default: flat)',
  ),
});

/** How a run transfers: `plan`, `download` (contract, Download). */
export const DOWNLOAD_FLAGS = grouped('Download:', {
  concurrency: value('files in flight, 1 to 100, or "auto": begins at 8, never passes 20 (default: auto)', {
    alias: 'j',
  }),
  retries: value('tries again per file; new bytes start the count anew (default: 8)'),
  'stall-timeout': value('break off a transfer that brings no byte for this long (default: 60s)'),
  'max-wait': value('the longest wait a server may ask for (default: 15m)'),
  'max-rate': value('bytes a second over all transfers, as 20MB (default: no limit)'),
  existing: value('what to do with files that are there (default: skip)', {
    choices: ['skip', 'verify', 'overwrite'],
  }),
  'fail-fast': toggle('stop at the first failed file'),
  strict: toggle('days that are pending or unavailable make the run fail (exit code 7)'),
});

/** How files are converted: `convert` (contract, Convert). */
export const CONVERT_FLAGS = grouped('Conversion:', {
  format: value('what to make of each file (default: parquet)', {
    alias: 'f',
    choices: ['parquet', 'ndjson'],
  }),
  out: value('folder for the outputs, or "-" for NDJSON to stdout (default: beside each source)', {
    alias: 'o',
  }),
  layout: value('where outputs go under the folder: flat, hive, or a template (default: flat)'),
  compression: value('default: zstd for Parquet, none for NDJSON, which knows no snappy', {
    choices: ['zstd', 'snappy', 'gzip', 'none'],
  }),
  'row-group': value('rows of a Parquet row group, as 64k (default: 128k; fewer for books of 25 levels)'),
  times: value('default: timestamp in Parquet, int (microseconds) in NDJSON', {
    choices: ['timestamp', 'int', 'iso'],
  }),
  numbers: value('"string" keeps the text of the CSV exactly (default: double)', {
    choices: ['double', 'string'],
  }),
  type: value('data type of all files (default: from the file name, else the header)'),
  jobs: value('files at once (default: the number of processors)', { alias: 'j' }),
  existing: value('skip only what was made from the very same source (default: skip)', {
    choices: ['skip', 'overwrite'],
  }),
  'no-keep-source': toggle('delete each source once its conversion is whole'),
});
