import type { Options } from 'yargs';
import { grouped, toggle, value } from './flag.js';

/** The download folder, in every command that has one. */
export const DIR = value('download folder, or s3://bucket/prefix (default: TICKHAUL_DIR, else ./datasets)', {
  alias: 'o',
});
/** The same, where `-o` is the output. */
export const DIR_BESIDE_OUT: Options = { ...DIR, alias: [] };

/** How an object store is reached, where one is named (contract, Beyond one machine). */
export const STORE_FLAGS = grouped('Object store:', {
  's3-endpoint': value("address of the store (default: AWS_ENDPOINT_URL_S3, else Amazon's)"),
  's3-region': value("region of the bucket (default: AWS_REGION, else the profile's)"),
  's3-path-style': toggle('name the bucket in the path and not in the host, as many stores need it'),
});

/** One run a folder (contract, Sync): `verify`, `sync`. */
export const LOCK_FLAGS = {
  'lock-timeout': value(
    'how long to wait for another run in the folder to end, as 10m (default: not at all)',
  ),
};

/** What a list of checksums is: `lock`. */
export const LOCK_FILE_FLAGS = grouped('Lock file:', {
  dir: DIR_BESIDE_OUT,
  out: value('file to write, or "-" for stdout (default: tickhaul.lock; of a list of sums, stdout)', {
    alias: 'o',
  }),
  format: value('a lock file, or a list that md5sum -c or sha256sum -c takes (default: lock)', {
    choices: ['lock', 'md5sum', 'sha256sum'],
  }),
});

/** Which of the day files in a folder. */
export const SERIES_FLAGS = {
  exchange: value('only these exchanges, comma-separated or repeated'),
  type: value('only these data types', { alias: 't' }),
  symbol: value('only these symbols; globs, @file (one a line)', { alias: 's' }),
};

/** Which part of the day files, for work on several machines: `plan`, `download`, `convert`, `verify`, `sync`. */
export const SHARD_FLAGS = grouped('Selection:', {
  shard: value(
    'only one of n parts of the day files, as 0/4 to 3/4: each file falls to one, always the same',
  ),
});

/** Which part of a folder is told of, and how: `coverage`. */
export const COVERAGE_FLAGS = grouped('Coverage:', {
  dir: DIR,
  ...SERIES_FLAGS,
  from: value('first UTC day, YYYY-MM-DD (default: the first one of each series)'),
  to: value('UTC day after the last one (default: the end of each series)'),
  all: toggle('show every symbol and calendar, even thousands of lines'),
  html: value('write a page that needs no network to this file, or to stdout with "-"'),
});

/** Where slices of the raw data API lie: `replay`, `verify`. */
export const SLICE_CACHE_FLAGS = {
  'cache-dir': value(
    "folder that holds feeds, the slices (default: TM_CACHE_DIR, else in the user's cache folder)",
  ),
};

/** What a check does: `verify`. */
export const VERIFY_FLAGS = grouped('Check:', {
  dir: DIR,
  ...SERIES_FLAGS,
  quick: toggle('check only that each file is there and has its size'),
  listed: toggle('compare a listing of the object store with the records, and read nothing'),
  repair: toggle('download corrupt and missing files again; the old one stays until the new one is whole'),
  adopt: toggle('record whole files that the manifest does not know'),
  forget: toggle('remove missing files from the manifest: days that you deleted on purpose'),
  clean: toggle('remove what earlier runs left behind'),
  strict: toggle('days missing within a series make the run fail (exit code 7)'),
  ...SHARD_FLAGS,
  jobs: value('files to read at once (default: the number of processors)', { alias: 'j' }),
  cache: toggle('check the slices of raw data in the cache folder, and no day files'),
  ...SLICE_CACHE_FLAGS,
  ...LOCK_FLAGS,
});
