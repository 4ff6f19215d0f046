import type { OutputFormatName } from '../base/output-format-names.js';
import type { LayoutFunction } from '../dataset/layout.js';

/** Values as a list, or as one string separated by commas. */
export type TextList = string | readonly string[];

/**
 * Service, credentials and abort signal. An absent value comes from the environment, else from the config
 * file.
 */
export interface ServiceOptions {
  /** Default: TICKHAUL_API_KEY, the file in TICKHAUL_API_KEY_FILE, TARDIS_API_KEY or TM_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Default: TICKHAUL_API_KEY_FILE. */
  readonly apiKeyFile?: string | undefined;
  /** Metadata host; default: TICKHAUL_API_URL, else `https://api.tardis.dev`. */
  readonly apiUrl?: string | undefined;
  /** Dataset host; default: TICKHAUL_DATASETS_URL, else `https://datasets.tardis.dev`. */
  readonly datasetsUrl?: string | undefined;
  /**
   * Config file; default: TICKHAUL_CONFIG, `tickhaul.yaml` in the working folder, else in the user's config
   * folder.
   */
  readonly config?: string | undefined;
  /** Stops the call cleanly: finished files are kept, and the call rejects with the code `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** Access to object stores, for `s3://…` locations. Credentials come from the AWS default provider chain. */
export interface StoreOptions {
  /** Endpoint URL of the store; default: AWS_ENDPOINT_URL_S3, else Amazon's. */
  readonly s3Endpoint?: string | undefined;
  /** Region of the bucket; default: AWS_REGION, else the profile's. */
  readonly s3Region?: string | undefined;
  /** Path-style addresses (bucket in the path instead of the host), which many stores require. */
  readonly s3PathStyle?: boolean | undefined;
}

/** Folder of the day files. */
export interface FolderOptions extends StoreOptions {
  /** Download folder, or `s3://bucket/prefix`; default: TICKHAUL_DIR, else `datasets`. */
  readonly dir?: string | undefined;
}

/** Selection of day files. Give one of: `from` with or without `to`, `date`, `last`. */
export interface SelectionOptions {
  /** Exchange id, in any case. */
  readonly exchange: string;
  /** Data types, or `all`. */
  readonly types: TextList;
  /** Dataset symbols in any case, globs, `@file` with one symbol per line, or `all`. */
  readonly symbols: TextList;
  /** Only symbols of these types: `spot`, `future`, `perpetual`, `option`, `combo`. */
  readonly symbolTypes?: TextList | undefined;
  /** First UTC day: `YYYY-MM-DD`, `yesterday`, or a month such as `2024-03`. */
  readonly from?: string | undefined;
  /** The UTC day after the last one; default: the end of the export. */
  readonly to?: string | undefined;
  /** A single UTC day. */
  readonly date?: string | undefined;
  /** Number of last exported days: `7`, or `'7d'`. */
  readonly last?: number | string | undefined;
  /** Only these days of the week, such as `mon-fri`. */
  readonly weekdays?: TextList | undefined;
}

/** Day files from a list, instead of a selection. */
export type ListOptions =
  | {
      /** A list of files as written by `failedTo`. */
      readonly fromFile: string;
    }
  | {
      /** A lock file: downloads exactly these files, and verifies size and checksum. */
      readonly frozen: string;
    }
  | {
      /** A plan that was saved with `pin`: downloads the same day files, whatever the service lists now. */
      readonly pinned: string;
    };

export interface LayoutOptions {
  /**
   * Path of each file under the folder: `flat` (the default), `hive`, a template of `{exchange} {type} {symbol} {date}
   * {year} {month} {day} {name}`, or a function of the day file. Paths stay inside the folder, and each day file needs
   * a distinct path.
   */
  readonly layout?: string | LayoutFunction | undefined;
}

/** Transfer of day files and slices of raw data. */
export interface TransferOptions {
  /** Files or slices in flight, 1 to 100; `auto`, the default, uses at most 20 files or 60 slices. */
  readonly concurrency?: number | 'auto' | undefined;
  /** Retries per file; progress resets the count; default: 8. */
  readonly retries?: number | undefined;
  /** A transfer without progress for this long is aborted and retried; default: `60s`. */
  readonly stallTimeout?: string | undefined;
  /** Longest wait accepted from a server's Retry-After; default: `15m`. */
  readonly maxWait?: string | undefined;
  /** Bytes per second over all transfers, such as `20MB`; default: no limit. */
  readonly maxRate?: number | string | undefined;
}

/** Distribution over several machines. */
export interface ShardOptions {
  /** One of n parts of the day files, `0/4` to `3/4`: each file always belongs to the same part. */
  readonly shard?: string | undefined;
}

export interface DownloadRules extends ShardOptions {
  /** Treatment of existing files; `skip`, the default, trusts the manifest and the size. */
  readonly existing?: 'skip' | 'verify' | 'overwrite' | undefined;
  /** Stop at the first failed file. */
  readonly failFast?: boolean | undefined;
  /** Days that are pending or unavailable make the call fail with exit code 7. */
  readonly strict?: boolean | undefined;
}

/** Contents and encoding of converted files. */
export interface EncodingOptions {
  /** Computed types to write instead of the rows, such as `trade_bar_1m`; include `rows` to write both. */
  readonly as?: TextList | undefined;
  /** Default: `zstd` for Parquet, `none` for NDJSON, which does not support `snappy`. */
  readonly compression?: 'zstd' | 'snappy' | 'gzip' | 'none' | undefined;
  /** Rows per Parquet row group, such as `64k`; default: `128k`. */
  readonly rowGroup?: number | string | undefined;
  /** Default: `timestamp` in Parquet, `int` (microseconds) in NDJSON. */
  readonly times?: 'timestamp' | 'int' | 'iso' | undefined;
  /** `string` keeps the exact text of the CSV; default: `double`. */
  readonly numbers?: 'double' | 'string' | undefined;
}

/** Conversion of each day file as it arrives. */
export interface ArrivalOptions extends EncodingOptions {
  readonly convert?: OutputFormatName | undefined;
  /** Keep only the conversion. */
  readonly noKeepCsv?: boolean | undefined;
}

/** Options that `plan` and `download` share. */
export type DownloadTargetOptions = (SelectionOptions | ListOptions) &
  ServiceOptions &
  FolderOptions &
  LayoutOptions &
  TransferOptions &
  DownloadRules &
  ArrivalOptions;

export type PlanOptions = DownloadTargetOptions & {
  /** Write the plan to this file or `s3://bucket/key`, for the `pinned` option on other machines. */
  readonly pin?: string | undefined;
};

export type DownloadOptions = DownloadTargetOptions & {
  /** Write the failed day files to this file, as JSON lines. */
  readonly failedTo?: string | undefined;
  /** Plan only, like `plan`. */
  readonly dryRun?: boolean | undefined;
};

/** Options of `sync`; they override the settings of every job in the config file. */
export interface SyncOptions
  extends ServiceOptions,
    FolderOptions,
    TransferOptions,
    DownloadRules,
    ArrivalOptions {
  /** Only the job with this name. */
  readonly job?: string | undefined;
  /** Plan each job only: write nothing, and call no hook. */
  readonly dryRun?: boolean | undefined;
  /** Wait until yesterday (UTC) is exported. */
  readonly wait?: boolean | undefined;
  /** With `wait`: after this long, continue with the available days and end with exit code 7. */
  readonly timeout?: string | undefined;
  /** Start no more files after this long. */
  readonly maxDuration?: string | undefined;
  /** How long to wait for another run in the folder to end; default: no wait. */
  readonly lockTimeout?: string | undefined;
  /** Shell command to run after success; it gets the summary on stdin. */
  readonly onSuccess?: string | undefined;
  /** Shell command to run after a failure; it gets the summary on stdin. */
  readonly onFailure?: string | undefined;
  /** URL of a dead man's switch. */
  readonly ping?: string | undefined;
}

/** Cache of slices of the raw data API. */
export interface CacheOptions {
  /**
   * Cache folder, with the slices in `feeds`; default: TM_CACHE_DIR, else `tickhaul` in the user's cache
   * folder.
   */
  readonly cacheDir?: string | undefined;
}
