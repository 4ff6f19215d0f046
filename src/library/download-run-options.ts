import type { LayoutFunction } from '../dataset/layout.js';

/** Separate values, or one text with commas. */
export type TextList = string | readonly string[];

/** Which service, and what ends the call. What isn't given comes from the environment, else from the config file. */
export interface ServiceOptions {
  /** Default: TICKHAUL_API_KEY, TARDIS_API_KEY, TM_API_KEY, or the file that one of the next two names. */
  readonly apiKey?: string | undefined;
  /** Default: TICKHAUL_API_KEY_FILE. */
  readonly apiKeyFile?: string | undefined;
  /** Metadata host; default: TICKHAUL_API_URL, else `https://api.tardis.dev`. */
  readonly apiUrl?: string | undefined;
  /** Dataset host; default: TICKHAUL_DATASETS_URL, else `https://datasets.tardis.dev`. */
  readonly datasetsUrl?: string | undefined;
  /** Config file; default: TICKHAUL_CONFIG, `tickhaul.yaml` here, else the one in the user's config folder. */
  readonly config?: string | undefined;
  /** Ends the call in order: what is done is kept, and the call rejects with the code `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** How an object store is reached, where `s3://…` is named. Credentials come from AWS's usual chain. */
export interface StoreOptions {
  /** Address of the store; default: AWS_ENDPOINT_URL_S3, else Amazon's. */
  readonly s3Endpoint?: string | undefined;
  /** Region of the bucket; default: AWS_REGION, else the profile's. */
  readonly s3Region?: string | undefined;
  /** Name the bucket in the path and not in the host, as many stores need it. */
  readonly s3PathStyle?: boolean | undefined;
}

/** Where day files are. */
export interface FolderOptions extends StoreOptions {
  /** Download folder, or `s3://bucket/prefix`; default: TICKHAUL_DIR, else `datasets`. */
  readonly dir?: string | undefined;
}

/** Which day files. Days are one of: `from` with or without `to`, `date`, `lastCommands`. */
export interface SelectionOptions {
  /** Exchange id, in any case. */
  readonly exchange: string;
  /** Data types, or `all`. */
  readonly types: TextList;
  /** Dataset symbols in any case, globs, `@file` with one a line, or `all`. */
  readonly symbols: TextList;
  /** Only symbols of these types: `spot`, `future`, `perpetual`, `option`, `combo`. */
  readonly symbolTypes?: TextList | undefined;
  /** First UTC day: `YYYY-MM-DD`, `yesterday`, or a month as `2024-03`. */
  readonly from?: string | undefined;
  /** The UTC day after the last one; default: the end of the export. */
  readonly to?: string | undefined;
  /** A single UTC day. */
  readonly date?: string | undefined;
  /** The last exported days: `7`, or `'7d'`. */
  readonly last?: number | string | undefined;
  /** Only these days of the week, as `mon-fri`. */
  readonly weekdays?: TextList | undefined;
}

/** Day files of a list in the place of a selection. */
export type ListOptions =
  | {
      /** A list as `failedTo` writes it. */
      readonly fromFile: string;
    }
  | {
      /** A lock file: the folder is to hold exactly its files, to the byte. */
      readonly frozen: string;
    }
  | {
      /** A plan that `pin` wrote: the very same day files, whatever the service says by now. */
      readonly pinned: string;
    };

export interface LayoutOptions {
  /**
   * Where files go under the folder: `flat` (the default), `hive`, a template of `{exchange} {type} {symbol} {date} {year}
   * {month} {day} {name}`, or a function of the day file. No path leads out of the folder, and each day file needs one of
   * its own.
   */
  readonly layout?: string | LayoutFunction | undefined;
}

/** How day files and slices of raw data come. */
export interface TransferOptions {
  /** Files or slices in flight, 1 to 100; `auto`, the default, never passes 20 files or 60 slices. */
  readonly concurrency?: number | 'auto' | undefined;
  /** Tries again per file; new bytes start the count anew; default: 8. */
  readonly retries?: number | undefined;
  /** A transfer without a byte for so long is broken off and tried again; default: `60s`. */
  readonly stallTimeout?: string | undefined;
  /** The longest wait a server may ask for; default: `15m`. */
  readonly maxWait?: string | undefined;
  /** Bytes a second over all transfers, as `20MB`; default: no limit. */
  readonly maxRate?: number | string | undefined;
}

/** Work on several machines. */
export interface ShardOptions {
  /** One of n parts of the day files, as `0/4` to `3/4`: each file falls to one, always the same. */
  readonly shard?: string | undefined;
}

export interface DownloadRules extends ShardOptions {
  /** What becomes of files that are there; `skip`, the default, trusts the manifest and the size. */
  readonly existing?: 'skip' | 'verify' | 'overwrite' | undefined;
  /** Stop at the first failed file. */
  readonly failFast?: boolean | undefined;
  /** Days that are pending or unavailable make the call fail with exit code 7. */
  readonly strict?: boolean | undefined;
}

/** What a conversion makes of the data. */
export interface EncodingOptions {
  /** Computed types to make instead, as `trade_bar_1m`; `rows` among them for the rows too. */
  readonly as?: TextList | undefined;
  /** Default: `zstd` for Parquet, `none` for NDJSON, which knows no `snappy`. */
  readonly compression?: 'zstd' | 'snappy' | 'gzip' | 'none' | undefined;
  /** Rows of a Parquet row group, as `64k`; default: `128k`. */
  readonly rowGroup?: number | string | undefined;
  /** Default: `timestamp` in Parquet, `int` (microseconds) in NDJSON. */
  readonly times?: 'timestamp' | 'int' | 'iso' | undefined;
  /** `string` keeps the CSV's text exactly; default: `double`. */
  readonly numbers?: 'double' | 'string' | undefined;
}

/** Conversion of each day file as it arrives. */
export interface ArrivalOptions extends EncodingOptions {
  readonly convert?: 'parquet' | 'ndjson' | undefined;
  /** Keep only the conversion. */
  readonly noKeepCsv?: boolean | undefined;
}

/** What `planCommand` and `downloadCommand` are told alike. */
export type DownloadTargetOptions = (SelectionOptions | ListOptions) &
  ServiceOptions &
  FolderOptions &
  LayoutOptions &
  TransferOptions &
  DownloadRules &
  ArrivalOptions;

export type PlanOptions = DownloadTargetOptions & {
  /** Write the plan to this file or `s3://bucket/key`, for `pinned` on other machines. */
  readonly pin?: string | undefined;
};

export type DownloadOptions = DownloadTargetOptions & {
  /** Write the day files that failed there, as JSON lines. */
  readonly failedTo?: string | undefined;
  /** Plan only: the same as `planCommand`. */
  readonly dryRun?: boolean | undefined;
};

/** What `sync` is told; what is said here stands over every job of the config file. */
export interface SyncOptions
  extends ServiceOptions,
    FolderOptions,
    TransferOptions,
    DownloadRules,
    ArrivalOptions {
  /** Only the job of this name. */
  readonly job?: string | undefined;
  /** Plan only, job by job: nothing is written, and no hook is called. */
  readonly dryRun?: boolean | undefined;
  /** Wait until yesterday (UTC) is exported. */
  readonly wait?: boolean | undefined;
  /** With `wait`: go on with what is there after this long, and end with exit code 7. */
  readonly timeout?: string | undefined;
  /** Begin no file after this long. */
  readonly maxDuration?: string | undefined;
  /** Wait so long for another run in the folder to end; default: not at all. */
  readonly lockTimeout?: string | undefined;
  /** Shell command that gets the summary on stdin when all went well. */
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  /** Address of a dead man's switch. */
  readonly ping?: string | undefined;
}

/** Where slices of the raw data API lie. */
export interface CacheOptions {
  /** Holds `feeds`, the slices; default: TM_CACHE_DIR, else `tickhaul` in the user's cache folder. */
  readonly cacheDir?: string | undefined;
}
