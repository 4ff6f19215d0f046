import type {
  AuditRunOptions,
  ConvertRunOptions,
  CoverageReportOptions,
  ExchangesQueryOptions,
  ExportAfterOptions,
  ExportRunOptions,
  InstrumentsQueryOptions,
  MessageOptions,
  PeriodOptions,
  RawCacheOptions,
  SourceOptions,
  StreamRunOptions,
  SymbolsQueryOptions,
  VerifyRunOptions,
} from './options/command-options.js';
import type {
  ArrivalAuditOptions,
  DownloadRunOptions,
  DryRunOptions,
  FailureOptions,
  FilterOptions,
  FolderOptions,
  LayoutOptions,
  ListFiles,
  PinOptions,
  SelectionOptions,
  ServiceOptions,
  ShardOptions,
  StoreOptions,
  SyncRunOptions,
  TransferOptions,
} from './options/shared-options.js';

/** Day files from a list, instead of a selection. */
type ListOptions = { readonly [Name in keyof ListFiles]: Pick<ListFiles, Name> }[keyof ListFiles];

/** Options that `plan` and `download` share. */
type TargetOptions = (SelectionOptions | ListOptions) &
  ServiceOptions &
  FolderOptions &
  LayoutOptions &
  ShardOptions &
  DownloadRunOptions;

export type PlanOptions = TargetOptions & PinOptions;

export type DownloadOptions = TargetOptions &
  FailureOptions &
  ArrivalAuditOptions &
  ExportAfterOptions &
  DryRunOptions;

/** Options of `sync`; they override the settings of every job in the config file. */
export type SyncOptions = ServiceOptions & StoreOptions & DownloadRunOptions & SyncRunOptions & DryRunOptions;

export type VerifyOptions = ServiceOptions &
  StoreOptions &
  FilterOptions &
  TransferOptions &
  VerifyRunOptions;

export type ConvertOptions = ServiceOptions & StoreOptions & FilterOptions & ConvertRunOptions;

export type ExportOptions = ServiceOptions & StoreOptions & FilterOptions & ExportRunOptions;

export type AuditOptions = ServiceOptions & StoreOptions & FilterOptions & AuditRunOptions;

export type CoverageOptions = ServiceOptions & StoreOptions & FilterOptions & CoverageReportOptions;

/** A replay of normalized messages. Folder and layout apply to day files, the cache to the raw data API. */
export type ReplayOptions = ServiceOptions &
  FolderOptions &
  LayoutOptions &
  MessageOptions &
  PeriodOptions &
  RawCacheOptions &
  Pick<SourceOptions, 'source'> & { readonly channels?: undefined };

/** A replay of an exchange's native messages. */
export type RawReplayOptions = ServiceOptions &
  PeriodOptions &
  RawCacheOptions &
  Pick<SourceOptions, 'channels'> & {
    /** One exchange id, optionally with symbols after a colon. */
    readonly exchange: string;
    readonly source?: 'feeds' | undefined;
    readonly types?: undefined;
  };

/** Options of a live stream. `signal`, `for` and the end of its reader all end it successfully. */
export type StreamOptions = ServiceOptions & StreamRunOptions;

export type ExchangesOptions = ServiceOptions & ExchangesQueryOptions;

/** Options of `symbols`. Without `exchange`, those of all exchanges. */
export type SymbolsOptions = ServiceOptions & SymbolsQueryOptions;

export type InstrumentsOptions = ServiceOptions & InstrumentsQueryOptions;
