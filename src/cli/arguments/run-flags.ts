import { booleanFlag, groupFlags, valueFlag } from './define-flag.js';
import {
  DIR,
  DIR_BESIDE_OUT,
  LOCK_FLAGS,
  SHARD_FLAGS,
  SLICE_CACHE_FLAGS,
  STORE_FLAGS,
} from './folder-flags.js';

/** Flags of every command. */
export const GLOBAL_FLAGS = groupFlags('Everywhere:', {
  json: booleanFlag('print JSON, for programs'),
  quiet: booleanFlag('print errors only', { alias: 'q' }),
  verbose: booleanFlag('print every request, and the stack of a bug'),
  'no-color': booleanFlag('no colours; NO_COLOR does the same'),
  'api-url': valueFlag('metadata host (default: https://api.tardis.dev)'),
  'datasets-url': valueFlag('dataset host (default: https://datasets.tardis.dev)'),
  config: valueFlag(
    'config file (default: TICKHAUL_CONFIG, ./tickhaul.yaml, else the one in the user’s config folder)',
  ),
  'api-key-file': valueFlag(
    'read the API key from a file, or from stdin with "-" (default: TICKHAUL_API_KEY)',
  ),
});

/** Which day files are meant: `planCommand`, `downloadCommand` (contract, Selection). */
export const SELECTION_FLAGS = groupFlags('Selection:', {
  type: valueFlag('data types, comma-separated or repeated, or "all"', { alias: 't' }),
  symbol: valueFlag('dataset symbols, comma-separated or repeated; globs, @file (one a line) or "all"', {
    alias: 's',
  }),
  'symbol-type': valueFlag('only symbols of these types: spot, future, perpetual, option, combo …'),
  from: valueFlag('first UTC day: YYYY-MM-DD, yesterday, or a month as 2024-03'),
  to: valueFlag('UTC day after the last one (default: the end of the export)'),
  date: valueFlag('a single UTC day: YYYY-MM-DD, or yesterday'),
  last: valueFlag('the last exported days: 7, or 7d'),
  weekdays: valueFlag('only these days of the week, as mon-fri or sat,sun'),
  dir: DIR,
  layout: valueFlag(
    'where files go under the folder: flat, hive, or a template of {exchange} {type} {date} … (default: flat)',
  ),
});

/** How a run transfers: `planCommand`, `downloadCommand` (contract, Download). */
export const DOWNLOAD_FLAGS = groupFlags('Download:', {
  concurrency: valueFlag(
    'files in flight, 1 to 100, or "auto": begins at 8, never passes 20 (default: auto)',
    {
      alias: 'j',
    },
  ),
  retries: valueFlag('how often a file is tried again; new bytes start the count anew (default: 8)'),
  'stall-timeout': valueFlag('break off a transfer that brings no byte for this long (default: 60s)'),
  'max-wait': valueFlag('the longest wait a server may ask for (default: 15m)'),
  'max-rate': valueFlag('bytes a second over all transfers, as 20MB (default: no limit)'),
  existing: valueFlag('what to do with files that are there (default: skip)', {
    choices: ['skip', 'verify', 'overwrite'],
  }),
  'fail-fast': booleanFlag('stop at the first failed file'),
  yes: booleanFlag('start without a question, even if the disk may be too small', { alias: 'y' }),
  strict: booleanFlag('days that are pending or unavailable make the run fail (exit code 7)'),
});

/** How a plan is shown: `planCommand`, `download --dry-run`. */
export const PLAN_FLAGS = groupFlags('Plan:', {
  files: booleanFlag('print one line for each file'),
});

/** A run that is not done: `downloadCommand`, `sync`. */
export const DRY_RUN_FLAGS = groupFlags('Plan:', {
  'dry-run': booleanFlag('plan only', { alias: 'n' }),
});

/** A plan for several machines: `planCommand` (contract, Beyond one machine). */
export const PIN_FLAGS = groupFlags('Plan:', {
  pin: valueFlag('write the plan to this file or s3://bucket/key, for --pinned on other machines'),
});

/** Day files of a list in the place of a selection: `planCommand`, `downloadCommand` (contract, Sync, lock files). */
export const LIST_FLAGS = groupFlags('Lists:', {
  pinned: valueFlag('the very same plan that plan --pin wrote, whatever the service says by now'),
  'from-file': valueFlag(
    'take the day files from a list that --failed-to or plan --json wrote, or from a part of it; "-" is stdin',
  ),
  frozen: valueFlag(
    'exactly the files of a lock file, to the byte (exit code 6 if the service has other bytes)',
  ),
});

/** What did not work, as such a list: `downloadCommand`. */
export const FAILURE_FLAGS = groupFlags('Lists:', {
  'failed-to': valueFlag('write the day files that failed to this file, as JSON lines'),
});

/** How bad files are brought again: `verify`. */
export const REPAIR_FLAGS = {
  concurrency: { ...DOWNLOAD_FLAGS.concurrency, alias: [] },
  retries: DOWNLOAD_FLAGS.retries,
  'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
  'max-wait': DOWNLOAD_FLAGS['max-wait'],
  'max-rate': DOWNLOAD_FLAGS['max-rate'],
};

/** A run of a config file's jobs: `sync`. */
export const SYNC_FLAGS = groupFlags('Sync:', {
  job: valueFlag('only the job of this name'),
  dir: DIR,
  wait: booleanFlag('wait until yesterday (UTC) is exported, looking every 1 to 10 minutes'),
  timeout: valueFlag('with --wait: go on with what is there after this long, and end with exit code 7'),
  ...SHARD_FLAGS,
  'max-duration': valueFlag(
    'begin no file after this long, as 4h; what is left ends the run with exit code 5',
  ),
  ...LOCK_FLAGS,
  'on-success': valueFlag('shell command that gets the summary as JSON on stdin when all went well'),
  'on-failure': valueFlag('the same when the run failed'),
  ping: valueFlag(
    "address of a dead man's switch: asked at the start (/start), after success, and after failure (/fail)",
  ),
});

/** Which messages, and how: `replay` (contract, Replay). */
export const REPLAY_FLAGS = {
  ...groupFlags('Replay:', {
    type: valueFlag('normalized data types: trade, book_change, book_snapshot_10_100ms, trade_bar_1m …', {
      alias: 't',
    }),
    symbol: valueFlag('symbols, for exchanges that have none after a colon (default: all)', { alias: 's' }),
    from: valueFlag('UTC day or ISO time, as 2024-03-01T12:00:00.5'),
    to: valueFlag('UTC day or ISO time, not included'),
    date: valueFlag('a single UTC day'),
    last: SELECTION_FLAGS.last,
    source: valueFlag('where messages come from (default: datasets with --type, feeds with --channel)', {
      choices: ['datasets', 'feeds'],
    }),
    channel: valueFlag('in place of types: an exchange\'s own messages of these channels, or of "all"'),
    'with-disconnects': booleanFlag(
      'with feeds: an empty line, or a "disconnect" message, where the connection to the exchange broke',
    ),
    speed: valueFlag('pace by local timestamps: 1 is real time (default: max)'),
    out: valueFlag(
      'JSON lines to this file or s3://bucket/key, compressed by .gz or .zst, or to stdout with "-" (default: -)',
      { alias: 'o' },
    ),
  }),
  ...groupFlags('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': booleanFlag('first remove all that the cache folder has of raw data'),
    'cache-limit': valueFlag(
      'bytes of raw data to keep, as 20GB; what was used least recently goes (default: all)',
    ),
  }),
  ...groupFlags('Day files:', {
    dir: DIR_BESIDE_OUT,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...groupFlags('Transfer:', {
    offline: booleanFlag('only what is on disk; what is missing ends the run with exit code 7'),
    concurrency: valueFlag(
      'files or slices in flight, or "auto", which never passes 20 files or 60 slices (default: auto)',
      { alias: 'j' },
    ),
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** Where it listens, and what it serves: `serveCommand` (contract, Serve). */
export const SERVE_FLAGS = {
  ...groupFlags('Server:', {
    port: valueFlag('port of HTTP; WebSocket is on the next one (default: TM_PORT, else 8000)'),
    host: valueFlag('address to listen on; whoever can reach it uses your key (default: 127.0.0.1)'),
    'allow-origin': valueFlag('origins of web pages that may use it, as http://host:port'),
    'max-clients': valueFlag(
      'clients at once over both ports; others get 503, or close code 1013 (default: 256)',
    ),
    'cluster-mode': booleanFlag('serve in a process for each processor; TM_CLUSTER_MODE=true does the same'),
    compress: booleanFlag('compress answers for clients that take gzip'),
    debug: booleanFlag('print what goes on inside to stdout; TM_DEBUG=true does the same'),
    'api-key': valueFlag('for compatibility: other users see arguments, so TICKHAUL_API_KEY is better'),
    source: valueFlag('where normalized messages come from (default: feeds)', {
      choices: ['feeds', 'datasets'],
    }),
  }),
  ...groupFlags('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': booleanFlag(
      'first remove all that the cache folder has of raw data (TM_CLEAR_CACHE=true)',
    ),
    'cache-limit': REPLAY_FLAGS['cache-limit'],
  }),
  ...groupFlags('Day files:', {
    dir: DIR_BESIDE_OUT,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...groupFlags('Transfer:', {
    offline: booleanFlag('only what is on disk; what is missing is answered with 503'),
    concurrency: REPLAY_FLAGS.concurrency,
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** What comes live: `streamCommand` (contract, Replay, stream). */
export const STREAM_FLAGS = groupFlags('Stream:', {
  type: REPLAY_FLAGS.type,
  symbol: valueFlag('symbols, for exchanges that have none after a colon (default: the active ones)', {
    alias: 's',
  }),
  for: valueFlag('end after this long, as 10m (default: at Ctrl-C)'),
  'with-disconnects': booleanFlag('a disconnect message where the connection to the exchange broke'),
  'timeout-interval': valueFlag('a connection silent for this long is made anew (default: 10s)'),
  out: valueFlag('JSON lines to this file, compressed by .gz or .zst, or to stdout with "-" (default: -)', {
    alias: 'o',
  }),
});

/** Whose account: `login`, `accountCommand` (contract, Configuration). */
export const ACCOUNT_FLAGS = groupFlags('Account:', {
  email: valueFlag('the address that you sign in with'),
  'auth-url': valueFlag('identity issuer (default: the one that the API host names)'),
  'max-wait': valueFlag('the longest wait a server may ask for (default: 15m)'),
});
