import { OUTPUT_FORMAT_CHOICES } from '../base/output-format-names.js';
import type {
  ArrivalOptions,
  CacheOptions,
  DownloadOptions,
  DownloadRules,
  DownloadTargetOptions,
  EncodingOptions,
  FolderOptions,
  LayoutOptions,
  ListOptions,
  PlanOptions,
  SelectionOptions,
  ServiceOptions,
  ShardOptions,
  StoreOptions,
  SyncOptions,
  TransferOptions,
} from './download-run-options.js';
import type { ConvertOptions, CoverageOptions, VerifyOptions } from './file-options.js';
import type { RawReplayOptions, ReplayOptions, StreamOptions } from './message-options.js';
import type { OptionKind, OptionTable } from './options-to-args.js';

/** All option names, over all variants of a union. */
type OptionNames<Options> = Options extends unknown ? keyof Options : never;
/** The kind of each option; a missing option is a type error. */
type Kinds<Options> = Readonly<Record<OptionNames<Options>, OptionKind>>;

const SERVICE: Kinds<ServiceOptions> = {
  apiKey: 'text',
  apiKeyFile: 'file',
  apiUrl: 'text',
  datasetsUrl: 'text',
  config: 'file',
  signal: 'signal',
};
const STORE: Kinds<StoreOptions> = { s3Endpoint: 'text', s3Region: 'text', s3PathStyle: 'toggle' };
const FOLDER: Kinds<FolderOptions> = { ...STORE, dir: 'file' };
const LAYOUT: Kinds<LayoutOptions> = { layout: 'layout' };
const TRANSFER: Kinds<TransferOptions> = {
  concurrency: 'number',
  retries: 'number',
  stallTimeout: 'text',
  maxWait: 'text',
  maxRate: 'number',
};
const CACHE: Kinds<CacheOptions> = { cacheDir: 'file' };
const SHARD: Kinds<ShardOptions> = { shard: 'text' };
const RULES: Kinds<DownloadRules> = {
  ...SHARD,
  existing: ['skip', 'verify', 'overwrite'],
  failFast: 'toggle',
  strict: 'toggle',
};
const ENCODING: Kinds<EncodingOptions> = {
  as: 'list',
  compression: ['zstd', 'snappy', 'gzip', 'none'],
  rowGroup: 'number',
  times: ['timestamp', 'int', 'iso'],
  numbers: ['double', 'string'],
};
const ARRIVAL: Kinds<ArrivalOptions> = { ...ENCODING, convert: OUTPUT_FORMAT_CHOICES, noKeepCsv: 'toggle' };
const SELECTION: Kinds<SelectionOptions> = {
  exchange: 'text',
  types: 'list',
  symbols: 'list',
  symbolTypes: 'list',
  from: 'text',
  to: 'text',
  date: 'text',
  last: 'number',
  weekdays: 'list',
};
const LISTS: Kinds<ListOptions> = { fromFile: 'file', frozen: 'file', pinned: 'file' };

const TARGET_KINDS: Kinds<DownloadTargetOptions> = {
  ...SELECTION,
  ...LISTS,
  ...SERVICE,
  ...FOLDER,
  ...LAYOUT,
  ...TRANSFER,
  ...RULES,
  ...ARRIVAL,
};
const PLAN_KINDS: Kinds<PlanOptions> = { ...TARGET_KINDS, pin: 'file' };
const DOWNLOAD_KINDS: Kinds<DownloadOptions> = { ...TARGET_KINDS, failedTo: 'file', dryRun: 'toggle' };
const SYNC_KINDS: Kinds<SyncOptions> = {
  ...SERVICE,
  ...FOLDER,
  ...TRANSFER,
  ...RULES,
  ...ARRIVAL,
  job: 'text',
  dryRun: 'toggle',
  wait: 'toggle',
  timeout: 'text',
  maxDuration: 'text',
  lockTimeout: 'text',
  onSuccess: 'text',
  onFailure: 'text',
  ping: 'text',
};
const VERIFY_KINDS: Kinds<VerifyOptions> = {
  ...SERVICE,
  ...SHARD,
  ...FOLDER,
  ...TRANSFER,
  ...CACHE,
  paths: 'list',
  exchange: 'list',
  types: 'list',
  symbols: 'list',
  quick: 'toggle',
  listed: 'toggle',
  repair: 'toggle',
  adopt: 'toggle',
  forget: 'toggle',
  clean: 'toggle',
  strict: 'toggle',
  cache: 'toggle',
  jobs: 'number',
  lockTimeout: 'text',
};
const CONVERT_KINDS: Kinds<ConvertOptions> = {
  ...STORE,
  ...SHARD,
  ...LAYOUT,
  ...ENCODING,
  paths: 'list',
  symbols: 'list',
  format: OUTPUT_FORMAT_CHOICES,
  out: 'file',
  type: 'text',
  jobs: 'number',
  existing: ['skip', 'overwrite'],
  noKeepSource: 'toggle',
  signal: 'signal',
};
const COVERAGE_KINDS: Kinds<CoverageOptions> = {
  ...FOLDER,
  exchange: 'list',
  types: 'list',
  symbols: 'list',
  from: 'text',
  to: 'text',
  html: 'file',
  config: 'file',
  signal: 'signal',
};
const REPLAY_KINDS: Kinds<ReplayOptions | RawReplayOptions> = {
  ...SERVICE,
  ...FOLDER,
  ...LAYOUT,
  ...TRANSFER,
  ...CACHE,
  exchange: 'list',
  types: 'list',
  channels: 'list',
  symbols: 'list',
  from: 'text',
  to: 'text',
  date: 'text',
  last: 'number',
  source: ['datasets', 'feeds'],
  clearCache: 'toggle',
  cacheLimit: 'number',
  withDisconnects: 'toggle',
  offline: 'toggle',
  speed: 'number',
  out: 'file',
};

const STREAM_KINDS: Kinds<StreamOptions> = {
  ...SERVICE,
  exchange: 'list',
  types: 'list',
  symbols: 'list',
  withDisconnects: 'toggle',
  timeoutInterval: 'text',
  for: 'text',
  out: 'file',
};

const EXCHANGE = { name: 'exchange', example: "exchange: 'deribit'" };
const SELECTED = { ...EXCHANGE, unless: Object.keys(LISTS) };

export const PLAN_OPTIONS: OptionTable = { kinds: PLAN_KINDS, required: SELECTED };
export const DOWNLOAD_OPTIONS: OptionTable = { kinds: DOWNLOAD_KINDS, required: SELECTED };
export const SYNC_OPTIONS: OptionTable = { kinds: SYNC_KINDS };
export const VERIFY_OPTIONS: OptionTable = { kinds: VERIFY_KINDS };
export const CONVERT_OPTIONS: OptionTable = {
  kinds: CONVERT_KINDS,
  required: { name: 'paths', unless: [], example: "paths: ['datasets']" },
};
export const COVERAGE_OPTIONS: OptionTable = { kinds: COVERAGE_KINDS };
export const REPLAY_OPTIONS: OptionTable = { kinds: REPLAY_KINDS, required: { ...EXCHANGE, unless: [] } };
export const STREAM_OPTIONS: OptionTable = { kinds: STREAM_KINDS, required: { ...EXCHANGE, unless: [] } };
