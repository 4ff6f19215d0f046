import type {
  CacheOptions,
  EncodingOptions,
  FolderOptions,
  LayoutOptions,
  ServiceOptions,
  ShardOptions,
  StoreOptions,
  TextList,
  TransferOptions,
} from './download-run-options.js';

export interface VerifyOptions
  extends ServiceOptions,
    FolderOptions,
    TransferOptions,
    CacheOptions,
    ShardOptions {
  /** Files or folders to check; default: the whole download folder. */
  readonly paths?: string | readonly string[] | undefined;
  /** Only these exchanges. */
  readonly exchange?: TextList | undefined;
  /** Only these data types. */
  readonly types?: TextList | undefined;
  /** Only these symbols; globs, `@file`. */
  readonly symbols?: TextList | undefined;
  /** Presence and size only. */
  readonly quick?: boolean | undefined;
  /** Compare a listing of the object store with the records, and read nothing. */
  readonly listed?: boolean | undefined;
  /** Download corrupt and missing files again. */
  readonly repair?: boolean | undefined;
  /** Record whole files that the manifest doesn't know. */
  readonly adopt?: boolean | undefined;
  /** Take missing files out of the manifest. */
  readonly forget?: boolean | undefined;
  /** Remove what ended runs left. */
  readonly clean?: boolean | undefined;
  /** Days missing within a series make the call fail with exit code 7. */
  readonly strict?: boolean | undefined;
  /** Check the slices of raw data in the cache folder, and no day files. */
  readonly cache?: boolean | undefined;
  /** Files to read at once; default: the number of processors. */
  readonly jobs?: number | undefined;
  /** Wait so long for another run in the folder to end; default: not at all. */
  readonly lockTimeout?: string | undefined;
}

export interface ConvertOptions extends LayoutOptions, EncodingOptions, ShardOptions, StoreOptions {
  /** Day files, folders, globs. */
  readonly paths: string | readonly string[];
  /** Only these symbols; globs, `@file`. */
  readonly symbols?: TextList | undefined;
  /** Default: `parquet`. */
  readonly format?: 'parquet' | 'ndjson' | undefined;
  /** Folder or `s3://bucket/prefix` for the outputs; default: beside each source. */
  readonly out?: string | undefined;
  /** Data type of all files; default: from the file name, else the header. */
  readonly type?: string | undefined;
  /** Files at once; default: the number of processors. */
  readonly jobs?: number | undefined;
  /** `skip`, the default, skips only what was made from the very same source. */
  readonly existing?: 'skip' | 'overwrite' | undefined;
  /** Delete each source once it is converted whole. */
  readonly noKeepSource?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CoverageOptions extends FolderOptions {
  /** Only these exchanges. */
  readonly exchange?: TextList | undefined;
  /** Only these data types. */
  readonly types?: TextList | undefined;
  /** Only these symbols; globs, `@file`. */
  readonly symbols?: TextList | undefined;
  /** First UTC day; default: the first one of each series. */
  readonly from?: string | undefined;
  /** The UTC day after the last one; default: the end of each series. */
  readonly to?: string | undefined;
  /** Write a page that needs no network to this file, too. */
  readonly html?: string | undefined;
  readonly config?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
