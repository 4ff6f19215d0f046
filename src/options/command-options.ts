import {
  ARRIVAL_AUDIT_OPTIONS,
  ARRIVAL_OPTIONS,
  DOWNLOAD_OPTIONS,
  DRY_RUN_OPTIONS,
  ENCODING_OPTIONS,
  EXCHANGE_ARGUMENT,
  FAILURE_OPTIONS,
  FILTER_OPTIONS,
  LAYOUT_OPTIONS,
  LIST_OPTIONS,
  PIN_OPTIONS,
  PLAN_OUTPUT_OPTIONS,
  RULE_OPTIONS,
  SELECTION_OPTIONS,
  SHARD_OPTIONS,
  TRANSFER_OPTIONS,
} from './day-file-options.js';
import {
  AUDIT_OPTIONS,
  CONVERT_OPTIONS,
  COVERAGE_OPTIONS,
  LOCK_FILE_OPTIONS,
  REPAIR_OPTIONS,
  VERIFY_OPTIONS,
  VIEWS_OPTIONS,
} from './existing-file-options.js';
import { EXPORT_AFTER_OPTIONS, EXPORT_OPTIONS } from './export-options.js';
import { REPLAY_OPTIONS, SERVE_OPTIONS, STREAM_OPTIONS } from './message-options.js';
import { groupOptions, type OptionGroup } from './option-definition.js';
import { EXCHANGES_OPTIONS, INSTRUMENTS_OPTIONS, SYMBOLS_OPTIONS } from './record-options.js';
import { FOLDER_OPTIONS, LOCK_OPTIONS, STORE_OPTIONS } from './service-options.js';

/** The queue: `enqueue`, `worker`, `queue`. */
const QUEUE_OPTIONS = groupOptions('Queue:', {
  queue: {
    type: 'text',
    description: 'name of the queue, in the Redis of TICKHAUL_QUEUE_URL',
    default: 'tickhaul',
  },
});

const { yes: _yes, ...SLICE_RULE_OPTIONS } = RULE_OPTIONS;

const SLICE_DOWNLOAD_OPTIONS = groupOptions('Download:', {
  ...TRANSFER_OPTIONS,
  ...SLICE_RULE_OPTIONS,
  'fail-fast': {
    ...RULE_OPTIONS['fail-fast'],
    description: 'end a slice at its first failed file; the slice is retried as usual',
  },
  strict: {
    ...RULE_OPTIONS.strict,
    description: 'fail with exit code 7 on pending or unavailable days, after queuing the others',
  },
});

/** How slices are queued. */
const ENQUEUE_OPTIONS = groupOptions('Queue:', {
  slice: {
    type: 'text',
    description: 'days per slice, counted from the first of each month, such as 1d',
    defaultText: 'the month',
  },
  'max-slices': {
    type: 'count',
    min: 1,
    max: 100_000,
    description: 'slices that all workers together process at once',
    default: '20',
  },
});

/** How slices are processed. */
const WORKER_OPTIONS = groupOptions('Queue:', {
  concurrency: {
    type: 'count',
    min: 1,
    max: 100,
    description: 'slices to process at once, 1 to 100',
    default: '4',
    alias: 'j',
  },
  once: {
    type: 'flag',
    description: 'end when no slice is left: exit code 0, or 3 if some failed permanently',
  },
  'lock-duration': {
    type: 'timer',
    description:
      'a slice counts as lost if its worker has not renewed its lock for this long (at least 1s; the same on all workers)',
    default: '60s',
  },
  'stall-timeout': TRANSFER_OPTIONS['stall-timeout'],
});

/** Audit of what a run downloads; a setting of single jobs too. */
export const SYNC_AUDIT_OPTIONS = groupOptions('Sync:', {
  audit: { type: 'flag', description: 'audit each file on arrival' },
});

/** A run of the jobs of a config file. */
export const SYNC_RUN_OPTIONS = groupOptions('Sync:', {
  job: { type: 'text', description: 'only the job with this name', scopes: ['flag', 'library'] },
  ...FOLDER_OPTIONS,
  wait: { type: 'flag', description: 'wait until yesterday (UTC) is exported; polls every 1 to 10 minutes' },
  timeout: {
    type: 'duration',
    description: 'with --wait: after this long, continue with the available days (exit code 7)',
  },
  ...SHARD_OPTIONS,
  'max-duration': {
    type: 'duration',
    description: 'start no more files after this long, such as 4h (exit code 5 if files are left)',
  },
  ...LOCK_OPTIONS,
  ...SYNC_AUDIT_OPTIONS,
  'on-success': {
    type: 'text',
    description: 'shell command to run after success, with the summary as JSON on stdin',
  },
  'on-failure': {
    type: 'text',
    description: 'shell command to run after a failure, with the summary as JSON on stdin',
  },
  ping: {
    type: 'text',
    description:
      "URL of a heartbeat monitor (dead man's switch): pinged at the start (/start), on success, and on failure (/fail)",
  },
});

/** Which day files, and where. */
const DAY_FILES = {
  ...EXCHANGE_ARGUMENT,
  ...SELECTION_OPTIONS,
  ...groupOptions('Selection:', FOLDER_OPTIONS),
  ...LAYOUT_OPTIONS,
  ...SHARD_OPTIONS,
  ...STORE_OPTIONS,
} as const;

const PLAN = {
  ...DAY_FILES,
  ...PLAN_OUTPUT_OPTIONS,
  ...PIN_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...LIST_OPTIONS,
} as const;

/** Options of each command that shares some with another command, the library or the config file. */
export const COMMAND_OPTIONS = {
  plan: PLAN,
  download: {
    ...DAY_FILES,
    ...DOWNLOAD_OPTIONS,
    ...LIST_OPTIONS,
    ...FAILURE_OPTIONS,
    ...ARRIVAL_AUDIT_OPTIONS,
    ...EXPORT_AFTER_OPTIONS,
    ...DRY_RUN_OPTIONS,
    ...PLAN_OUTPUT_OPTIONS,
  },
  sync: {
    ...SYNC_RUN_OPTIONS,
    ...STORE_OPTIONS,
    ...DOWNLOAD_OPTIONS,
    ...DRY_RUN_OPTIONS,
    ...PLAN_OUTPUT_OPTIONS,
  },
  enqueue: {
    ...DAY_FILES,
    ...SLICE_DOWNLOAD_OPTIONS,
    ...ARRIVAL_OPTIONS,
    ...ENCODING_OPTIONS,
    pinned: LIST_OPTIONS.pinned,
    ...ENQUEUE_OPTIONS,
    ...QUEUE_OPTIONS,
  },
  worker: { ...WORKER_OPTIONS, ...QUEUE_OPTIONS },
  queue: QUEUE_OPTIONS,
  verify: { ...VERIFY_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS, ...REPAIR_OPTIONS },
  convert: { ...CONVERT_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  export: { ...EXPORT_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  audit: { ...AUDIT_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  coverage: { ...COVERAGE_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  views: { ...VIEWS_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  lock: { ...LOCK_FILE_OPTIONS, ...FILTER_OPTIONS, ...STORE_OPTIONS },
  replay: REPLAY_OPTIONS,
  serve: SERVE_OPTIONS,
  stream: STREAM_OPTIONS,
  exchanges: EXCHANGES_OPTIONS,
  symbols: SYMBOLS_OPTIONS,
  instruments: INSTRUMENTS_OPTIONS,
} as const satisfies Readonly<Record<string, OptionGroup>>;

/** What is planned: `plan` and `download --dry-run`. */
export const PLANNED_OPTIONS = { ...COMMAND_OPTIONS.download, ...PLAN } as const;
