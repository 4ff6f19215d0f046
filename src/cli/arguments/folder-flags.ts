import type { Options } from 'yargs';
import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';

/** The download folder. */
export const DIR_FLAG = valueFlag(
  'download folder, or s3://bucket/prefix (default: TICKHAUL_DIR, else ./datasets)',
  {
    alias: 'o',
  },
);
/** The download folder, for commands in which `-o` is the output. */
export const DIR_FLAG_WITHOUT_ALIAS: Options = { ...DIR_FLAG, alias: [] };

/** Access to an object store. */
export const STORE_FLAGS = groupFlags('Object store:', {
  's3-endpoint': valueFlag("address of the store (default: AWS_ENDPOINT_URL_S3, else Amazon's)"),
  's3-region': valueFlag("region of the bucket (default: AWS_REGION, else the profile's)"),
  's3-path-style': booleanFlag('use path-style addresses (bucket in the path), which many stores require'),
});

/** The lock of the folder: `verify`, `sync`. */
export const LOCK_FLAGS = {
  'lock-timeout': valueFlag(
    'how long to wait for another run in the folder to end, such as 10m (default: no wait)',
  ),
};

/** Output of `lock`. */
export const LOCK_FILE_FLAGS = groupFlags('Lock file:', {
  dir: DIR_FLAG_WITHOUT_ALIAS,
  out: valueFlag(
    'file to write, or "-" for stdout (default: tickhaul.lock; stdout for md5sum and sha256sum)',
    {
      alias: 'o',
    },
  ),
  format: valueFlag('format: a lock file, or a list for md5sum -c or sha256sum -c (default: lock)', {
    choices: ['lock', 'md5sum', 'sha256sum'],
  }),
});

/** Selection of existing day files. */
export const SERIES_FLAGS = {
  exchange: valueFlag('only these exchanges, comma-separated or repeated'),
  type: valueFlag('only these data types', { alias: 't' }),
  symbol: valueFlag('only these symbols; globs, @file (one per line)', { alias: 's' }),
};

/** A part of the day files, for several machines: `plan`, `download`, `convert`, `verify`, `sync`. */
export const SHARD_FLAGS = groupFlags('Selection:', {
  shard: valueFlag('one of n parts of the day files, 0/4 to 3/4; a file always belongs to the same part'),
});

/** Selection and form of the report: `coverage`. */
export const COVERAGE_FLAGS = groupFlags('Coverage:', {
  dir: DIR_FLAG,
  ...SERIES_FLAGS,
  from: valueFlag('first UTC day, YYYY-MM-DD (default: the first day of each series)'),
  to: valueFlag('UTC day after the last one (default: the end of each series)'),
  all: booleanFlag('show every symbol and calendar, even thousands of lines'),
  html: valueFlag('write an offline HTML page to this file, or to stdout with "-"'),
});

/** The slice cache of the raw data API: `replay`, `serve`, `verify`. */
export const SLICE_CACHE_FLAGS = {
  'cache-dir': valueFlag(
    "cache folder, with slices in feeds (default: TM_CACHE_DIR, else tickhaul in the user's cache folder)",
  ),
};

/** What `verify` checks and changes. */
export const VERIFY_FLAGS = groupFlags('Check:', {
  dir: DIR_FLAG,
  ...SERIES_FLAGS,
  quick: booleanFlag('check presence and size only'),
  listed: booleanFlag('compare a listing of the object store with the manifest; read no file'),
  repair: booleanFlag(
    'download corrupt and missing files again; keep the old file until the new one is complete',
  ),
  adopt: booleanFlag('record complete files that the manifest lacks'),
  forget: booleanFlag('remove missing files from the manifest, such as days that you deleted'),
  clean: booleanFlag('remove temporary files of earlier runs'),
  strict: booleanFlag('fail with exit code 7 if days are missing within a series'),
  ...SHARD_FLAGS,
  jobs: valueFlag('files to read at once (default: the number of processors)', { alias: 'j' }),
  cache: booleanFlag('check the slices of raw data in the cache folder instead of day files'),
  ...SLICE_CACHE_FLAGS,
  ...LOCK_FLAGS,
});
