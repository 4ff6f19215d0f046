import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import {
  DIR_FLAG,
  DIR_FLAG_WITHOUT_ALIAS,
  LOCK_FLAGS,
  SHARD_FLAGS,
  SLICE_CACHE_FLAGS,
  STORE_FLAGS,
} from './folder-flags.js';

/** Global flags. */
export const GLOBAL_FLAGS = groupFlags('Everywhere:', {
  json: booleanFlag('print JSON'),
  quiet: booleanFlag('print errors only', { alias: 'q' }),
  verbose: booleanFlag('print every request, and stack traces of bugs'),
  'no-color': booleanFlag('print without colours, like NO_COLOR'),
  'api-url': valueFlag('metadata host (default: https://api.tardis.dev)'),
  'datasets-url': valueFlag('dataset host (default: https://datasets.tardis.dev)'),
  config: valueFlag(
    'config file (default: TICKHAUL_CONFIG, ./tickhaul.yaml, else tickhaul.yaml in the user’s config folder)',
  ),
  'api-key-file': valueFlag('file with the API key, or "-" for stdin (default: TICKHAUL_API_KEY)'),
});

/** Flags that yargs itself handles. */
export const BUILT_IN_FLAGS = groupFlags('Everywhere:', {
  help: booleanFlag('print this help', { alias: 'h' }),
  version: booleanFlag('print the version', { alias: ['v', 'V'] }),
});

/** Selection of day files: `plan`, `download` (docs/spec/command-line.md#day-selection). */
export const SELECTION_FLAGS = groupFlags('Selection:', {
  type: valueFlag('data types, comma-separated or repeated, or "all"', { alias: 't' }),
  symbol: valueFlag('dataset symbols, comma-separated or repeated; globs, @file (one per line) or "all"', {
    alias: 's',
  }),
  'symbol-type': valueFlag('only symbols of these types: spot, future, perpetual, option, combo …'),
  from: valueFlag('first UTC day: YYYY-MM-DD, yesterday, or a month such as 2024-03'),
  to: valueFlag('UTC day after the last one (default: the end of the export)'),
  date: valueFlag('a single UTC day: YYYY-MM-DD, or yesterday'),
  last: valueFlag('number of last exported days: 7, or 7d'),
  weekdays: valueFlag('only these days of the week, such as mon-fri or sat,sun'),
  dir: DIR_FLAG,
  layout: valueFlag(
    'paths under the folder: flat, hive, or a template of {exchange} {type} {date} … (default: flat)',
  ),
});

/** Transfer of day files: `plan`, `download`. */
export const DOWNLOAD_FLAGS = groupFlags('Download:', {
  concurrency: valueFlag('files in flight, 1 to 100, or "auto": starts at 8, up to 20 (default: auto)', {
    alias: 'j',
  }),
  retries: valueFlag('retries per file; progress resets the count (default: 8)'),
  'stall-timeout': valueFlag('abort a transfer after this long without progress (default: 60s)'),
  'max-wait': valueFlag("longest wait accepted from a server's Retry-After (default: 15m)"),
  'max-rate': valueFlag('bytes per second over all transfers, such as 20MB (default: no limit)'),
  existing: valueFlag('treatment of existing files (default: skip)', {
    choices: ['skip', 'verify', 'overwrite'],
  }),
  'fail-fast': booleanFlag('stop at the first failed file'),
  yes: booleanFlag('start without asking, even if the disk may be too small', { alias: 'y' }),
  strict: booleanFlag('fail with exit code 7 on pending or unavailable days'),
});

/** Output of a plan: `plan`, `download --dry-run`. */
export const PLAN_FLAGS = groupFlags('Plan:', {
  files: booleanFlag('print one line per file'),
});

/** A dry run: `download`, `sync`. */
export const DRY_RUN_FLAGS = groupFlags('Plan:', {
  'dry-run': booleanFlag('plan only', { alias: 'n' }),
});

/** A saved plan: `plan`. */
export const PIN_FLAGS = groupFlags('Plan:', {
  pin: valueFlag('save the plan to this file or s3://bucket/key, for --pinned on other machines'),
});

/** Day files from a list instead of a selection: `plan`, `download`. */
export const LIST_FLAGS = groupFlags('Lists:', {
  pinned: valueFlag('reuse a plan saved with plan --pin'),
  'from-file': valueFlag(
    'download the files of a list that --failed-to or plan --json wrote (all or some lines); "-" is stdin',
  ),
  frozen: valueFlag('download exactly the files of a lock file (exit code 6 if the service has other bytes)'),
});

/** Output of failed files: `download`. */
export const FAILURE_FLAGS = groupFlags('Lists:', {
  'failed-to': valueFlag('write failed day files to this file, as JSON lines'),
});

/** Transfer of repaired files: `verify`. */
export const REPAIR_FLAGS = {
  concurrency: { ...DOWNLOAD_FLAGS.concurrency, alias: [] },
  retries: DOWNLOAD_FLAGS.retries,
  'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
  'max-wait': DOWNLOAD_FLAGS['max-wait'],
  'max-rate': DOWNLOAD_FLAGS['max-rate'],
};

/** A run of the jobs of a config file: `sync`. */
export const SYNC_FLAGS = groupFlags('Sync:', {
  job: valueFlag('only the job with this name'),
  dir: DIR_FLAG,
  wait: booleanFlag('wait until yesterday (UTC) is exported; polls every 1 to 10 minutes'),
  timeout: valueFlag('with --wait: after this long, continue with the available days (exit code 7)'),
  ...SHARD_FLAGS,
  'max-duration': valueFlag(
    'start no more files after this long, such as 4h (exit code 5 if files are left)',
  ),
  ...LOCK_FLAGS,
  'on-success': valueFlag('shell command to run after success, with the summary as JSON on stdin'),
  'on-failure': valueFlag('shell command to run after a failure, with the summary as JSON on stdin'),
  ping: valueFlag(
    "URL of a dead man's switch, requested at the start (/start), after success, and after a failure (/fail)",
  ),
});

/** Messages of a period: `replay`. */
export const REPLAY_FLAGS = {
  ...groupFlags('Replay:', {
    type: valueFlag('normalized data types: trade, book_change, book_snapshot_10_100ms, trade_bar_1m …', {
      alias: 't',
    }),
    symbol: valueFlag('symbols of exchanges that are given without symbols (default: all)', { alias: 's' }),
    from: valueFlag('UTC day or ISO 8601 time, such as 2024-03-01T12:00:00.5'),
    to: valueFlag('UTC day or ISO 8601 time, not included'),
    date: valueFlag('a single UTC day'),
    last: SELECTION_FLAGS.last,
    source: valueFlag('source of the messages (default: datasets with --type, feeds with --channel)', {
      choices: ['datasets', 'feeds'],
    }),
    channel: valueFlag('native channels of the exchange, or "all", instead of --type'),
    'with-disconnects': booleanFlag(
      'with feeds: print an empty line, or a "disconnect" message, where the connection to the exchange broke',
    ),
    speed: valueFlag('pace by local timestamps: 1 is real time (default: max)'),
    out: valueFlag(
      'file or s3://bucket/key for JSON lines, compressed by .gz or .zst, or "-" for stdout (default: -)',
      { alias: 'o' },
    ),
  }),
  ...groupFlags('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': booleanFlag('first remove all raw data from the cache folder'),
    'cache-limit': valueFlag(
      'bytes of raw data to keep, such as 20GB; the least recently used slices are removed (default: keep all)',
    ),
  }),
  ...groupFlags('Day files:', {
    dir: DIR_FLAG_WITHOUT_ALIAS,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...groupFlags('Transfer:', {
    offline: booleanFlag('use only data on disk (exit code 7 if data is missing)'),
    concurrency: valueFlag(
      'files or slices in flight, or "auto", up to 20 files or 60 slices (default: auto)',
      { alias: 'j' },
    ),
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** Ports, sources and limits of the server: `serve`. */
export const SERVE_FLAGS = {
  ...groupFlags('Server:', {
    port: valueFlag('HTTP port; WebSocket uses the next one (default: TM_PORT, else 8000)'),
    host: valueFlag(
      'address to listen on; every client that can reach it uses your key (default: 127.0.0.1)',
    ),
    'allow-origin': valueFlag('origins of web pages that may use the server, such as http://host:port'),
    'max-clients': valueFlag(
      'clients at once over both ports; others get 503, or close code 1013 (default: 256)',
    ),
    'cluster-mode': booleanFlag('serve in one process per processor, like TM_CLUSTER_MODE=true'),
    compress: booleanFlag('compress responses for clients that accept gzip'),
    debug: booleanFlag('print debug lines to stdout, like TM_DEBUG=true'),
    'api-key': valueFlag('API key, for compatibility; prefer TICKHAUL_API_KEY: other users see arguments'),
    source: valueFlag('source of normalized messages (default: feeds)', {
      choices: ['feeds', 'datasets'],
    }),
  }),
  ...groupFlags('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': booleanFlag('first remove all raw data from the cache folder, like TM_CLEAR_CACHE=true'),
    'cache-limit': REPLAY_FLAGS['cache-limit'],
  }),
  ...groupFlags('Day files:', {
    dir: DIR_FLAG_WITHOUT_ALIAS,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...groupFlags('Transfer:', {
    offline: booleanFlag('use only data on disk; respond with 503 if data is missing'),
    concurrency: REPLAY_FLAGS.concurrency,
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** Live messages: `stream`. */
export const STREAM_FLAGS = groupFlags('Stream:', {
  type: REPLAY_FLAGS.type,
  symbol: valueFlag('symbols of exchanges that are given without symbols (default: the active ones)', {
    alias: 's',
  }),
  for: valueFlag('end after this long, such as 10m (default: at Ctrl-C)'),
  'with-disconnects': booleanFlag('print a disconnect message where the connection to the exchange broke'),
  'timeout-interval': valueFlag('reconnect after this long without a message (default: 10s)'),
  out: valueFlag('file for JSON lines, compressed by .gz or .zst, or "-" for stdout (default: -)', {
    alias: 'o',
  }),
});

/** The account and its issuer: `login`, `account`. */
export const ACCOUNT_FLAGS = groupFlags('Account:', {
  email: valueFlag('e-mail address of the account'),
  'auth-url': valueFlag('identity issuer (default: the one that the API host names)'),
  'max-wait': valueFlag("longest wait accepted from a server's Retry-After (default: 15m)"),
});
