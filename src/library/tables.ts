import type { Kind, OptionTable } from './arguments.js';
import type { ConvertOptions, CoverageOptions, VerifyOptions } from './file-options.js';
import type { RawReplayOptions, ReplayOptions, StreamOptions } from './message-options.js';
import type {
  ArrivalOptions,
  CacheOptions,
  DownloadOptions,
  DownloadRules,
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
  WantedOptions,
} from './options.js';

/** Every name that options may have, whichever of several forms they take. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never;
/** What each of them takes; one that is forgotten doesn't compile. */
type Kinds<Options> = Readonly<Record<NamesOf<Options>, Kind>>;

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
const ARRIVAL: Kinds<ArrivalOptions> = { ...ENCODING, convert: ['parquet', 'ndjson'], noKeepCsv: 'toggle' };
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

const WANTED_KINDS: Kinds<WantedOptions> = {
  ...SELECTION,
  ...LISTS,
  ...SERVICE,
  ...FOLDER,
  ...LAYOUT,
  ...TRANSFER,
  ...RULES,
  ...ARRIVAL,
};
const PLAN_KINDS: Kinds<PlanOptions> = { ...WANTED_KINDS, pin: 'file' };
const DOWNLOAD_KINDS: Kinds<DownloadOptions> = { ...WANTED_KINDS, failedTo: 'file', dryRun: 'toggle' };
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
  format: ['parquet', 'ndjson'],
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

const EXCHANGE = { name: 'exchange', as: "exchange: 'deribit'" };
const SELECTED = { ...EXCHANGE, unless: Object.keys(LISTS) };

export const PLAN: OptionTable = { kinds: PLAN_KINDS, required: SELECTED };
export const DOWNLOAD: OptionTable = { kinds: DOWNLOAD_KINDS, required: SELECTED };
export const SYNC: OptionTable = { kinds: SYNC_KINDS };
export const VERIFY: OptionTable = { kinds: VERIFY_KINDS };
export const CONVERT: OptionTable = {
  kinds: CONVERT_KINDS,
  required: { name: 'paths', unless: [], as: "paths: ['datasets']" },
};
export const COVERAGE: OptionTable = { kinds: COVERAGE_KINDS };
export const REPLAY: OptionTable = { kinds: REPLAY_KINDS, required: { ...EXCHANGE, unless: [] } };
export const STREAM: OptionTable = { kinds: STREAM_KINDS, required: { ...EXCHANGE, unless: [] } };
