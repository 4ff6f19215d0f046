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
  SELECTION_OPTIONS,
  SHARD_OPTIONS,
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
import { ENQUEUE_OPTIONS, QUEUE_OPTIONS, SLICE_DOWNLOAD_OPTIONS, WORKER_OPTIONS } from './queue-options.js';
import { EXCHANGES_OPTIONS, INSTRUMENTS_OPTIONS, SYMBOLS_OPTIONS } from './record-options.js';
import { FOLDER_OPTIONS, STORE_OPTIONS } from './service-options.js';
import { SYNC_RUN_OPTIONS } from './sync-options.js';

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
