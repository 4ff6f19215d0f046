import { LAYOUT_OPTIONS, SELECTION_OPTIONS, TRANSFER_OPTIONS } from './day-file-options.js';
import { GOOD_OPTIONS } from './existing-file-options.js';
import { groupOptions } from './option-definition.js';
import { CACHE_OPTIONS, READ_FOLDER_OPTIONS, STORE_OPTIONS } from './service-options.js';

/** Exchanges and types of messages. */
export const MESSAGE_OPTIONS = groupOptions('Replay:', {
  exchange: {
    type: 'texts',
    description: 'exchange ids, each optionally with symbols after a colon: deribit:BTC-PERPETUAL',
    positional: true,
    required: true,
  },
  type: {
    type: 'message-types',
    description: 'normalized data types: trade, book_change, book_snapshot_10_100ms, trade_bar_1m …',
    alias: 't',
    settingName: 'types',
    required: true,
  },
});

/** Period and pace of a replay. */
export const PERIOD_OPTIONS = groupOptions('Replay:', {
  symbol: {
    type: 'list',
    description: 'symbols for exchanges listed without symbols',
    defaultText: 'all',
    alias: 's',
    settingName: 'symbols',
  },
  from: { type: 'time', description: 'UTC day or ISO 8601 time, such as 2024-03-01T12:00:00.5' },
  to: { type: 'time', description: 'UTC day or ISO 8601 time, not included' },
  date: SELECTION_OPTIONS.date,
  days: SELECTION_OPTIONS.days,
  last: SELECTION_OPTIONS.last,
  ...GOOD_OPTIONS,
  weekdays: SELECTION_OPTIONS.weekdays,
  free: SELECTION_OPTIONS.free,
  'symbol-type': SELECTION_OPTIONS['symbol-type'],
});

/** Source of the messages of a replay. */
export const SOURCE_OPTIONS = groupOptions('Replay:', {
  source: {
    type: 'choice',
    description: 'source of the messages',
    choices: ['datasets', 'feeds'],
    defaultText: 'datasets with --type, feeds with --channel',
  },
  channel: {
    type: 'list',
    description: 'native channels of the exchange, or "all", instead of --type',
    settingName: 'channels',
    required: true,
  },
});

/** Output of a replay. */
export const PACE_OPTIONS = groupOptions('Replay:', {
  'with-disconnects': {
    type: 'flag',
    description:
      'with feeds: print an empty line, or a "disconnect" message, where the connection to the exchange broke',
    settingDescription: 'with feeds: yield a disconnect message where the connection to the exchange broke',
  },
  format: {
    type: 'choice',
    description: 'json: a line per message; arrow: one type as an Arrow stream, or with -o NAME.arrow a file',
    choices: ['json', 'arrow'],
    default: 'json',
    scopes: ['flag'],
  },
  speed: { type: 'speed', description: 'pace by local timestamps: 1 is real time', default: 'max' },
  out: {
    type: 'file',
    remote: true,
    description: 'file or s3://bucket/key for the messages, compressed by .gz or .zst, or "-" for stdout',
    settingDescription:
      'file or s3://bucket/key for JSON lines, compressed by .gz or .zst; the iterable is empty then',
    default: '-',
    alias: 'o',
  },
});

/** The slice cache of a replay or a server. */
export const SLICE_OPTIONS = groupOptions('Raw data:', {
  ...CACHE_OPTIONS,
  'clear-cache': { type: 'flag', description: 'first remove all raw data from the cache folder' },
  'cache-limit': {
    type: 'size',
    description: 'bytes of raw data to keep, such as 20GB; the least recently used slices are removed',
    defaultText: 'keep all',
  },
});

const DAY_FILE_OPTIONS = groupOptions('Day files:', { ...READ_FOLDER_OPTIONS, ...LAYOUT_OPTIONS });

/** Transfer of day files or slices. */
export const MESSAGE_TRANSFER_OPTIONS = groupOptions('Transfer:', {
  offline: { type: 'flag', description: 'use only data on disk (exit code 7 if data is missing)' },
  ...TRANSFER_OPTIONS,
  concurrency: {
    ...TRANSFER_OPTIONS.concurrency,
    description: 'files or slices in flight, or "auto", up to 20 files or 60 slices',
  },
});

/** Messages of a period. */
export const REPLAY_OPTIONS = {
  ...MESSAGE_OPTIONS,
  ...PERIOD_OPTIONS,
  ...SOURCE_OPTIONS,
  ...PACE_OPTIONS,
  ...SLICE_OPTIONS,
  ...DAY_FILE_OPTIONS,
  ...STORE_OPTIONS,
  ...MESSAGE_TRANSFER_OPTIONS,
} as const;

/** Ports, sources and limits of the server. */
export const SERVE_OPTIONS = {
  ...groupOptions('Server:', {
    port: {
      type: 'count',
      // The WebSocket port is the next one.
      max: 65_534,
      description: 'HTTP port; WebSocket uses the next one',
      defaultText: 'TM_PORT, else 8000',
    },
    host: {
      type: 'text',
      description:
        'address to listen on; localhost is 127.0.0.1 and ::1; every client that can reach it uses your key',
      default: 'localhost',
    },
    'allow-origin': {
      type: 'list',
      description: 'origins of web pages that may use the server, such as http://host:port',
    },
    'max-clients': {
      type: 'count',
      min: 1,
      description: 'clients at once over both ports; others get 503, or close code 1013',
      default: '256',
    },
    'cluster-mode': {
      type: 'flag',
      description: 'serve in one process per processor, like TM_CLUSTER_MODE=true',
    },
    compress: { type: 'flag', description: 'compress responses for clients that accept gzip' },
    debug: { type: 'flag', description: 'print debug lines to stdout, like TM_DEBUG=true' },
    'api-key': {
      type: 'text',
      description: 'API key, for compatibility; prefer TICKHAUL_API_KEY: other users see arguments',
    },
    source: {
      type: 'choice',
      description: 'source of normalized messages',
      choices: ['feeds', 'datasets'],
      default: 'feeds',
    },
  }),
  ...groupOptions('Raw data:', {
    ...SLICE_OPTIONS,
    'clear-cache': {
      type: 'flag',
      description: 'first remove all raw data from the cache folder, like TM_CLEAR_CACHE=true',
    },
  }),
  ...DAY_FILE_OPTIONS,
  ...STORE_OPTIONS,
  ...groupOptions('Transfer:', {
    ...MESSAGE_TRANSFER_OPTIONS,
    offline: { type: 'flag', description: 'use only data on disk; respond with 503 if data is missing' },
  }),
} as const;

/** Live messages. */
export const STREAM_OPTIONS = groupOptions('Stream:', {
  ...MESSAGE_OPTIONS,
  symbol: { ...PERIOD_OPTIONS.symbol, defaultText: 'the active ones' },
  for: { type: 'timer', description: 'end after this long, such as 10m', defaultText: 'at Ctrl-C' },
  'with-disconnects': {
    type: 'flag',
    description: 'print a disconnect message where the connection to the exchange broke',
    settingDescription: 'yield a disconnect message where the connection to the exchange broke',
  },
  'timeout-interval': {
    type: 'timer',
    description: 'reconnect after this long without a message',
    default: '10s',
  },
  out: {
    type: 'file',
    description: 'file for JSON lines, compressed by .gz or .zst, or "-" for stdout',
    settingDescription: 'file for JSON lines, compressed by .gz or .zst; the iterable is empty then',
    default: '-',
    alias: 'o',
  },
});
