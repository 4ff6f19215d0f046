import {
  COMPRESSIONS,
  NUMBER_ENCODINGS,
  OUTPUT_FORMAT_CHOICES,
  TIME_ENCODINGS,
  VALUE_ENCODINGS,
} from '../base/output-format-names.js';
import { groupOptions } from './option-definition.js';
import { planOptionsOf } from './option-values.js';

/** The exchange of a selection. */
export const EXCHANGE_ARGUMENT = {
  exchange: {
    type: 'text',
    description: 'exchange id, as listed by tickhaul exchanges',
    positional: true,
    required: true,
  },
} as const;

/** Days of a selection. */
export const DAY_OPTIONS = {
  from: { type: 'day', description: 'first UTC day: YYYY-MM-DD, yesterday, or a month such as 2024-03' },
  to: { type: 'day', description: 'UTC day after the last one', defaultText: 'the end of the export' },
  date: {
    type: 'day-list',
    description: 'UTC days and months: 2024-03-01,2024-04; or @file',
  },
  days: { type: 'day-list', description: 'another name of --date' },
  last: { type: 'days', description: 'the last N exported days, such as 7 or 7d' },
  weekdays: { type: 'list', description: 'only these days of the week, such as mon-fri or sat,sun' },
  free: { type: 'flag', description: 'only the first day of each month, which needs no key' },
} as const;

/** Selection of the day files of an exchange (docs/reference/selection.md). */
export const SELECTION_OPTIONS = groupOptions('Selection:', {
  type: {
    type: 'data-types',
    description: 'data types, comma-separated or repeated, or "all"',
    settingDescription: 'data types, or "all"',
    alias: 't',
    settingName: 'types',
    required: true,
  },
  symbol: {
    type: 'list',
    description: 'dataset symbols, comma-separated or repeated; globs, @file (one per line) or "all"',
    settingDescription: 'dataset symbols; globs, @file (one per line) or "all"',
    alias: 's',
    settingName: 'symbols',
    required: true,
  },
  'symbol-type': {
    type: 'lower-case-list',
    description: 'only symbols of these types: spot, future, perpetual, option, combo …',
    settingName: 'symbolTypes',
  },
  ...DAY_OPTIONS,
});

/** Paths of day files. */
export const LAYOUT_OPTIONS = groupOptions('Selection:', {
  layout: {
    type: 'layout',
    description: 'paths under the folder: flat, hive, or a template of {exchange} {type} {date} …',
    default: 'flat',
  },
});

/** A part of the day files, for several machines. */
export const SHARD_OPTIONS = groupOptions('Selection:', {
  shard: {
    type: 'shard',
    description:
      'process only part k of n, written k/n (for n = 4: 0/4 to 3/4); a given file is always in the same part',
    scopes: ['flag', 'library'],
  },
});

const { required: _type, ...ANY_TYPE } = SELECTION_OPTIONS.type;
const { required: _symbol, ...ANY_SYMBOL } = SELECTION_OPTIONS.symbol;

/** The same selection where it filters the day files that a folder has. */
export const FILTER_OPTIONS = {
  ...groupOptions('Selection:', {
    exchange: {
      type: 'list',
      description: 'only these exchanges, comma-separated or repeated',
      settingDescription: 'only these exchanges',
    },
    type: {
      ...ANY_TYPE,
      description: 'only these data types, comma-separated or repeated',
      settingDescription: 'only these data types',
    },
    symbol: {
      ...ANY_SYMBOL,
      description: 'only these symbols, comma-separated or repeated; globs, @file (one per line)',
      settingDescription: 'only these symbols; globs, @file (one per line)',
    },
    'symbol-type': SELECTION_OPTIONS['symbol-type'],
    ...DAY_OPTIONS,
    from: { type: 'day', description: 'first UTC day', defaultText: 'the first file of each series' },
    to: { ...DAY_OPTIONS.to, defaultText: 'the last file' },
  }),
  ...SHARD_OPTIONS,
} as const;

/** Transfer of files. */
export const TRANSFER_OPTIONS = groupOptions('Download:', {
  concurrency: {
    type: 'concurrency',
    description: 'files in flight, 1 to 100, or "auto": starts at 8, up to 20',
    default: 'auto',
    alias: 'j',
  },
  retries: { type: 'count', description: 'retries per file; progress resets the count', default: '8' },
  'stall-timeout': {
    type: 'timer',
    min: 1,
    description: 'abort a transfer after this long without progress',
    default: '60s',
    perProcess: true,
  },
  'max-wait': {
    type: 'duration',
    description: "longest wait accepted from a server's Retry-After",
    default: '15m',
  },
  'max-rate': {
    type: 'rate',
    description: 'bytes per second over all transfers, such as 20MB',
    defaultText: 'no limit',
  },
});

/** Rules of a download: what is skipped, and what fails. */
export const RULE_OPTIONS = groupOptions('Download:', {
  existing: {
    type: 'choice',
    description: 'treatment of existing files',
    choices: ['skip', 'verify', 'overwrite'],
    default: 'skip',
  },
  'fail-fast': { type: 'flag', description: 'stop at the first failed file' },
  yes: {
    type: 'flag',
    description: 'start without asking, even if the disk may be too small',
    alias: 'y',
    scopes: ['flag'],
    perProcess: true,
  },
  strict: { type: 'flag', description: 'fail with exit code 7 on pending or unavailable days' },
});

/** Contents and encoding of converted files. */
export const ENCODING_OPTIONS = groupOptions('Conversion:', {
  as: {
    type: 'computed-types',
    description:
      'computed types to write instead of rows, such as trade_bar_1m,quote_1s; add "rows" to write both',
  },
  'bar-time': {
    type: 'choice',
    description: 'the end of the interval that is the timestamp of a time bar',
    choices: ['close', 'open'],
    default: 'close',
  },
  fill: {
    type: 'flag',
    description: 'write time bars without trades too, at the last close, from the first trade of the day on',
  },
  compression: {
    type: 'choice',
    description: 'compression of the output; snappy only for Parquet, lz4 only for Arrow',
    choices: COMPRESSIONS,
    defaultText: 'zstd for Parquet, none for others',
  },
  'row-group': {
    type: 'rows',
    description: 'rows per Parquet row group or Arrow record batch, such as 64k',
    defaultText: '128k; fewer for books of 25 levels',
  },
  times: {
    type: 'choice',
    description: 'format of times',
    choices: TIME_ENCODINGS,
    defaultText: 'timestamp in Parquet and Arrow, int (microseconds) in NDJSON and CSV',
  },
  numbers: {
    type: 'choice',
    description: 'format of numbers; string keeps the exact text of the CSV',
    choices: NUMBER_ENCODINGS,
    default: 'double',
  },
  encodings: {
    type: 'choice',
    description: 'encodings in Parquet; plain is for fastparquet and Spark before 3.3',
    choices: VALUE_ENCODINGS,
    default: 'auto',
  },
});

/** Conversion of each day file as it arrives. */
export const ARRIVAL_OPTIONS = groupOptions('Conversion:', {
  convert: { type: 'choice', description: 'convert each file on arrival', choices: OUTPUT_FORMAT_CHOICES },
  'no-keep-csv': { type: 'flag', description: 'keep only the converted file' },
});

/** How day files are downloaded; a download, a job of sync and a queue take these options alike. */
export const DOWNLOAD_OPTIONS = {
  ...TRANSFER_OPTIONS,
  ...RULE_OPTIONS,
  ...ARRIVAL_OPTIONS,
  ...ENCODING_OPTIONS,
} as const;

/** What a plan selects; a pinned plan and the slices of a queue keep it. */
export const PLAN_SELECTION_OPTIONS = { ...SELECTION_OPTIONS, ...LAYOUT_OPTIONS } as const;

/** How the files of a plan are downloaded, apart from their conversion. Each way to a plan takes all of them. */
export const PLAN_DOWNLOAD_OPTIONS = planOptionsOf({
  ...TRANSFER_OPTIONS,
  ...RULE_OPTIONS,
  ...SHARD_OPTIONS,
} as const);

/** Day files from a list instead of a selection. */
export const LIST_OPTIONS = groupOptions('Lists:', {
  pinned: {
    type: 'file',
    remote: true,
    description: 'reuse a plan saved with plan --pin',
    settingDescription: 'reuse the plan that a call of plan saved with --pin',
  },
  'from-file': {
    type: 'file',
    description:
      'download the files of a list that --failed-to or plan --json wrote (all or some lines); "-" is stdin',
    settingDescription: 'download the files of a list that --failed-to wrote (all or some lines)',
  },
  frozen: {
    type: 'file',
    description: "download exactly the files of a lock file (exit code 6 if the service's bytes differ)",
  },
});

/** Output of failed files. */
export const FAILURE_OPTIONS = groupOptions('Lists:', {
  'failed-to': { type: 'file', description: 'write failed day files to this file, as JSON lines' },
});

/** Audit of each day file as it arrives. */
export const ARRIVAL_AUDIT_OPTIONS = groupOptions('Download:', {
  audit: { type: 'flag', description: 'audit each file on arrival', scopes: ['flag', 'library'] },
});

/** A dry run. */
export const DRY_RUN_OPTIONS = groupOptions('Plan:', {
  'dry-run': { type: 'flag', description: 'plan only', alias: 'n', scopes: ['flag', 'library'] },
});

/** Output of a plan. */
export const PLAN_OUTPUT_OPTIONS = groupOptions('Plan:', {
  files: { type: 'flag', description: 'print one line per file', scopes: ['flag'] },
});

/** A saved plan. */
export const PIN_OPTIONS = groupOptions('Plan:', {
  pin: {
    type: 'file',
    remote: true,
    description: 'save the plan to this file or s3://bucket/key, for --pinned on other machines',
  },
});
