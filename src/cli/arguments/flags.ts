import { grouped, toggle, value } from './flag.js';
import {
  DIR,
  DIR_BESIDE_OUT,
  LOCK_FLAGS,
  SHARD_FLAGS,
  SLICE_CACHE_FLAGS,
  STORE_FLAGS,
} from './folder-flags.js';

/** Flags of every command. */
export const GLOBAL_FLAGS = grouped('Everywhere:', {
  json: toggle('print JSON, for programs'),
  quiet: toggle('print errors only', { alias: 'q' }),
  verbose: toggle('print every request, and the stack of a bug'),
  'no-color': toggle('no colours; NO_COLOR does the same'),
  'api-url': value('metadata host (default: https://api.tardis.dev)'),
  'datasets-url': value('dataset host (default: https://datasets.tardis.dev)'),
  config: value(
    'config file (default: TICKHAUL_CONFIG, ./tickhaul.yaml, else the one in the user’s config folder)',
  ),
  'api-key-file': value('read the API key from a file, or from stdin with "-" (default: TICKHAUL_API_KEY)'),
});

/** Which day files are meant: `plan`, `download` (contract, Selection). */
export const SELECTION_FLAGS = grouped('Selection:', {
  type: value('data types, comma-separated or repeated, or "all"', { alias: 't' }),
  symbol: value('dataset symbols, comma-separated or repeated; globs, @file (one a line) or "all"', {
    alias: 's',
  }),
  'symbol-type': value('only symbols of these types: spot, future, perpetual, option, combo …'),
  from: value('first UTC day: YYYY-MM-DD, yesterday, or a month as 2024-03'),
  to: value('UTC day after the last one (default: the end of the export)'),
  date: value('a single UTC day: YYYY-MM-DD, or yesterday'),
  last: value('the last exported days: 7, or 7d'),
  weekdays: value('only these days of the week, as mon-fri or sat,sun'),
  dir: DIR,
  layout: value(
    'where files go under the folder: flat, hive, or a template of {exchange} {type} {date} … (default: flat)',
  ),
});

/** How a run transfers: `plan`, `download` (contract, Download). */
export const DOWNLOAD_FLAGS = grouped('Download:', {
  concurrency: value('files in flight, 1 to 100, or "auto": begins at 8, never passes 20 (default: auto)', {
    alias: 'j',
  }),
  retries: value('how often a file is tried again; new bytes start the count anew (default: 8)'),
  'stall-timeout': value('break off a transfer that brings no byte for this long (default: 60s)'),
  'max-wait': value('the longest wait a server may ask for (default: 15m)'),
  'max-rate': value('bytes a second over all transfers, as 20MB (default: no limit)'),
  existing: value('what to do with files that are there (default: skip)', {
    choices: ['skip', 'verify', 'overwrite'],
  }),
  'fail-fast': toggle('stop at the first failed file'),
  yes: toggle('start without a question, even if the disk may be too small', { alias: 'y' }),
  strict: toggle('days that are pending or unavailable make the run fail (exit code 7)'),
});

/** How a plan is shown: `plan`, `download --dry-run`. */
export const PLAN_FLAGS = grouped('Plan:', {
  files: toggle('print one line for each file'),
});

/** A plan for several machines: `plan` (contract, Beyond one machine). */
export const PIN_FLAGS = grouped('Plan:', {
  pin: value('write the plan to this file or s3://bucket/key, for --pinned on other machines'),
});

/** Day files of a list in the place of a selection: `plan`, `download` (contract, Sync, lock files). */
export const LIST_FLAGS = grouped('Lists:', {
  pinned: value('the very same plan that plan --pin wrote, whatever the service says by now'),
  'from-file': value(
    'take the day files from a list that --failed-to or plan --json wrote, or from a part of it; "-" is stdin',
  ),
  frozen: value('exactly the files of a lock file, to the byte (exit code 6 if the service has other bytes)'),
});

/** What did not work, as such a list: `download`. */
export const FAILURE_FLAGS = grouped('Lists:', {
  'failed-to': value('write the day files that failed to this file, as JSON lines'),
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
export const SYNC_FLAGS = grouped('Sync:', {
  job: value('only the job of this name'),
  dir: DIR,
  wait: toggle('wait until yesterday (UTC) is exported, looking every 1 to 10 minutes'),
  timeout: value('with --wait: go on with what is there after this long, and end with exit code 7'),
  ...SHARD_FLAGS,
  'max-duration': value('begin no file after this long, as 4h; what is left ends the run with exit code 5'),
  ...LOCK_FLAGS,
  'on-success': value('shell command that gets the summary as JSON on stdin when all went well'),
  'on-failure': value('the same when the run failed'),
  ping: value(
    "address of a dead man's switch: asked at the start (/start), after success, and after failure (/fail)",
  ),
});

/** Which messages, and how: `replay` (contract, Replay). */
export const REPLAY_FLAGS = {
  ...grouped('Replay:', {
    type: value('normalized data types: trade, book_change, book_snapshot_10_100ms, trade_bar_1m …', {
      alias: 't',
    }),
    symbol: value('symbols, for exchanges that have none after a colon (default: all)', { alias: 's' }),
    from: value('UTC day or ISO time, as 2024-03-01T12:00:00.5'),
    to: value('UTC day or ISO time, not included'),
    date: value('a single UTC day'),
    source: value('where messages come from (default: datasets with --type, feeds with --channel)', {
      choices: ['datasets', 'feeds'],
    }),
    channel: value('in place of types: an exchange\'s own messages of these channels, or of "all"'),
    'with-disconnects': toggle(
      'with feeds: an empty line, or a "disconnect" message, where the connection to the exchange broke',
    ),
    speed: value('pace by local timestamps: 1 is real time (default: max)'),
    out: value(
      'JSON lines to this file or s3://bucket/key, compressed by .gz or .zst, or to stdout with "-" (default: -)',
      { alias: 'o' },
    ),
  }),
  ...grouped('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': toggle('first remove all that the cache folder has of raw data'),
    'cache-limit': value(
      'bytes of raw data to keep, as 20GB; what was used least recently goes (default: all)',
    ),
  }),
  ...grouped('Day files:', {
    dir: DIR_BESIDE_OUT,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...grouped('Transfer:', {
    offline: toggle('only what is on disk; what is missing ends the run with exit code 7'),
    concurrency: value(
      'files or slices in flight, or "auto", which never passes 20 files or 60 slices (default: auto)',
      { alias: 'j' },
    ),
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** Where it listens, and what it serves: `serve` (contract, Serve). */
export const SERVE_FLAGS = {
  ...grouped('Server:', {
    port: value('port of HTTP; WebSocket is on the next one (default: TM_PORT, else 8000)'),
    host: value('address to listen on; whoever can reach it uses your key (default: 127.0.0.1)'),
    'allow-origin': value('origins of web pages that may use it, as http://host:port'),
    'max-clients': value(
      'clients at once over both ports; others get 503, or close code 1013 (default: 256)',
    ),
    'cluster-mode': toggle('serve in a process for each processor; TM_CLUSTER_MODE=true does the same'),
    compress: toggle('compress answers for clients that take gzip'),
    debug: toggle('print what goes on inside to stdout; TM_DEBUG=true does the same'),
    'api-key': value('for compatibility: other users see arguments, so TICKHAUL_API_KEY is better'),
    source: value('where normalized messages come from (default: feeds)', { choices: ['feeds', 'datasets'] }),
  }),
  ...grouped('Raw data:', {
    ...SLICE_CACHE_FLAGS,
    'clear-cache': toggle('first remove all that the cache folder has of raw data (TM_CLEAR_CACHE=true)'),
    'cache-limit': REPLAY_FLAGS['cache-limit'],
  }),
  ...grouped('Day files:', {
    dir: DIR_BESIDE_OUT,
    layout: SELECTION_FLAGS.layout,
  }),
  ...STORE_FLAGS,
  ...grouped('Transfer:', {
    offline: toggle('only what is on disk; what is missing is answered with 503'),
    concurrency: REPLAY_FLAGS.concurrency,
    retries: DOWNLOAD_FLAGS.retries,
    'stall-timeout': DOWNLOAD_FLAGS['stall-timeout'],
    'max-wait': DOWNLOAD_FLAGS['max-wait'],
    'max-rate': DOWNLOAD_FLAGS['max-rate'],
  }),
};

/** What comes live: `stream` (contract, Replay, stream). */
export const STREAM_FLAGS = grouped('Stream:', {
  type: REPLAY_FLAGS.type,
  symbol: value('symbols, for exchanges that have none after a colon (default: the active ones)', {
    alias: 's',
  }),
  for: value('end after this long, as 10m (default: at Ctrl-C)'),
  'with-disconnects': toggle('a disconnect message where the connection to the exchange broke'),
  'timeout-interval': value('a connection silent for this long is made anew (default: 10s)'),
  out: value('JSON lines to this file, compressed by .gz or .zst, or to stdout with "-" (default: -)', {
    alias: 'o',
  }),
});

/** Whose account: `login`, `account` (contract, Configuration). */
export const ACCOUNT_FLAGS = grouped('Account:', {
  email: value('the address that you sign in with'),
  'auth-url': value('identity issuer (default: the one that the API host names)'),
  'max-wait': value('the longest wait a server may ask for (default: 15m)'),
});
