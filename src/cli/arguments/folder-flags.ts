import type { Options } from 'yargs';
import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';

/** The download folder, in every command that has one. */
export const DIR = valueFlag(
  'download folder, or s3://bucket/prefix (default: TICKHAUL_DIR, else ./datasets)',
  {
    alias: 'o',
  },
);
/** The same, where `-o` is the output. */
export const DIR_BESIDE_OUT: Options = { ...DIR, alias: [] };

/** How an object store is reached, where one is named (contract, Beyond one machine). */
export const STORE_FLAGS = groupFlags('Object store:', {
  's3-endpoint': valueFlag("address of the store (default: AWS_ENDPOINT_URL_S3, else Amazon's)"),
  's3-region': valueFlag("region of the bucket (default: AWS_REGION, else the profile's)"),
  's3-path-style': booleanFlag('name the bucket in the path and not in the host, as many stores need it'),
});

/** One run a folder (contract, Sync): `verify`, `sync`. */
export const LOCK_FLAGS = {
  'lock-timeout': valueFlag(
    'how long to wait for another run in the folder to end, as 10m (default: not at all)',
  ),
};

/** What a list of checksums is: `lockCommand`. */
export const LOCK_FILE_FLAGS = groupFlags('Lock file:', {
  dir: DIR_BESIDE_OUT,
  out: valueFlag('file to write, or "-" for stdout (default: tickhaul.lock; of a list of sums, stdout)', {
    alias: 'o',
  }),
  format: valueFlag('a lock file, or a list that md5sum -c or sha256sum -c takes (default: lock)', {
    choices: ['lock', 'md5sum', 'sha256sum'],
  }),
});

/** Which of the day files in a folder. */
export const SERIES_FLAGS = {
  exchange: valueFlag('only these exchanges, comma-separated or repeated'),
  type: valueFlag('only these data types', { alias: 't' }),
  symbol: valueFlag('only these symbols; globs, @file (one a line)', { alias: 's' }),
};

/** Which part of the day files, for work on several machines: `planCommand`, `downloadCommand`, `convertCommand`, `verify`, `sync`. */
export const SHARD_FLAGS = groupFlags('Selection:', {
  shard: valueFlag(
    'only one of n parts of the day files, as 0/4 to 3/4: each file falls to one, always the same',
  ),
});

/** Which part of a folder is told of, and how: `coverageCommand`. */
export const COVERAGE_FLAGS = groupFlags('Coverage:', {
  dir: DIR,
  ...SERIES_FLAGS,
  from: valueFlag('first UTC day, YYYY-MM-DD (default: the first one of each series)'),
  to: valueFlag('UTC day after the last one (default: the end of each series)'),
  all: booleanFlag('show every symbol and calendar, even thousands of lines'),
  html: valueFlag('write a page that needs no network to this file, or to stdout with "-"'),
});

/** Where slices of the raw data API lie: `replay`, `verify`. */
export const SLICE_CACHE_FLAGS = {
  'cache-dir': valueFlag(
    "folder that holds feeds, the slices (default: TM_CACHE_DIR, else in the user's cache folder)",
  ),
};

/** What a check does: `verify`. */
export const VERIFY_FLAGS = groupFlags('Check:', {
  dir: DIR,
  ...SERIES_FLAGS,
  quick: booleanFlag('check only that each file is there and has its size'),
  listed: booleanFlag('compare a listing of the object store with the records, and read nothing'),
  repair: booleanFlag(
    'download corrupt and missing files again; the old one stays until the new one is whole',
  ),
  adopt: booleanFlag('record whole files that the manifest does not know'),
  forget: booleanFlag('remove missing files from the manifest: days that you deleted on purpose'),
  clean: booleanFlag('remove what earlier runs left behind'),
  strict: booleanFlag('days missing within a series make the run fail (exit code 7)'),
  ...SHARD_FLAGS,
  jobs: valueFlag('files to read at once (default: the number of processors)', { alias: 'j' }),
  cache: booleanFlag('check the slices of raw data in the cache folder, and no day files'),
  ...SLICE_CACHE_FLAGS,
  ...LOCK_FLAGS,
});
