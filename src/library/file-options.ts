import type { OutputFormatName } from '../base/output-format-names.js';
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
  /** Only these symbols; globs and `@file` too. */
  readonly symbols?: TextList | undefined;
  /** Check presence and size only. */
  readonly quick?: boolean | undefined;
  /** Compare a listing of the object store with the manifest; read no file. */
  readonly listed?: boolean | undefined;
  /** Download corrupt and missing files again. */
  readonly repair?: boolean | undefined;
  /** Record complete files that the manifest lacks. */
  readonly adopt?: boolean | undefined;
  /** Remove missing files from the manifest. */
  readonly forget?: boolean | undefined;
  /** Remove temporary files of ended runs. */
  readonly clean?: boolean | undefined;
  /** Days missing within a series make the call fail with exit code 7. */
  readonly strict?: boolean | undefined;
  /** Check the slices of raw data in the cache folder instead of day files. */
  readonly cache?: boolean | undefined;
  /** Number of files to read at once; default: the number of processors. */
  readonly jobs?: number | undefined;
  /** How long to wait for another run in the folder to end; default: no wait. */
  readonly lockTimeout?: string | undefined;
}

export interface ConvertOptions extends LayoutOptions, EncodingOptions, ShardOptions, StoreOptions {
  /** Day files, folders or globs. */
  readonly paths: string | readonly string[];
  /** Only these symbols; globs and `@file` too. */
  readonly symbols?: TextList | undefined;
  /** Default: `parquet`. */
  readonly format?: OutputFormatName | undefined;
  /** Folder or `s3://bucket/prefix` for the outputs; default: beside each source. */
  readonly out?: string | undefined;
  /** Data type of all files; default: from the file name, else from the header. */
  readonly type?: string | undefined;
  /** Number of files to convert at once; default: the number of processors. */
  readonly jobs?: number | undefined;
  /** `skip`, the default, skips an output only if it was converted from the same source. */
  readonly existing?: 'skip' | 'overwrite' | undefined;
  /** Delete each source after its complete conversion. */
  readonly noKeepSource?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CoverageOptions extends FolderOptions {
  /** Only these exchanges. */
  readonly exchange?: TextList | undefined;
  /** Only these data types. */
  readonly types?: TextList | undefined;
  /** Only these symbols; globs and `@file` too. */
  readonly symbols?: TextList | undefined;
  /** First UTC day; default: the first day of each series. */
  readonly from?: string | undefined;
  /** The UTC day after the last one; default: the end of each series. */
  readonly to?: string | undefined;
  /** Also write an HTML page to this file; it loads nothing from the network. */
  readonly html?: string | undefined;
  readonly config?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
