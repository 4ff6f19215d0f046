import type {
  CacheOptions,
  FolderOptions,
  LayoutOptions,
  ServiceOptions,
  TextList,
  TransferOptions,
} from './download-run-options.js';

/** A period is `date`, `last`, or `from` and `to`: UTC days or ISO 8601 times, `to` not included. */
interface PeriodOptions extends ServiceOptions, TransferOptions {
  /** Symbols of the exchanges that are given without symbols; default: all. */
  readonly symbols?: TextList | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: string | undefined;
  /** Number of last exported days: `7`, or `'7d'`. */
  readonly last?: number | string | undefined;
  /**
   * Yield a `disconnect` message where the connection to the exchange broke; day files do not record
   * disconnects.
   */
  readonly withDisconnects?: boolean | undefined;
  /** Use only data on disk; missing data ends the call with exit code 7. */
  readonly offline?: boolean | undefined;
  /** Pace by local timestamps: 1 is real time; default: `max`. */
  readonly speed?: number | 'max' | undefined;
  /**
   * Write JSON lines to this file or `s3://bucket/key`, compressed by `.gz` or `.zst`; the iterable is empty
   * then.
   */
  readonly out?: string | undefined;
}

/** Handling of the cached slices of raw data. */
interface SliceOptions extends CacheOptions {
  /** First remove all raw data from the cache folder. */
  readonly clearCache?: boolean | undefined;
  /**
   * Bytes of raw data to keep, such as `20GB`; the least recently used slices are removed; default: keep all.
   */
  readonly cacheLimit?: number | string | undefined;
}

/** A replay of normalized messages. Folder and layout apply to day files, the cache to the raw data API. */
export interface ReplayOptions extends PeriodOptions, FolderOptions, LayoutOptions, SliceOptions {
  /** Exchange ids, each optionally with symbols after a colon: `deribit:BTC-PERPETUAL`. */
  readonly exchange: string | readonly string[];
  /** Normalized data types: `trade`, `book_change`, `book_snapshot_10_100ms`, `trade_bar_1m` and so on. */
  readonly types: TextList;
  /** Source of the messages: day files (the default), or the raw data API. */
  readonly source?: 'datasets' | 'feeds' | undefined;
  readonly channels?: undefined;
}

/** A replay of an exchange's native messages. */
export interface RawReplayOptions extends PeriodOptions, SliceOptions {
  /** One exchange id, optionally with symbols after a colon. */
  readonly exchange: string;
  /** The exchange's native channels, or `all`. */
  readonly channels: TextList;
  readonly source?: 'feeds' | undefined;
  readonly types?: undefined;
}

/** Options of a live stream. `signal`, `for` and the end of its reader all end it successfully. */
export interface StreamOptions extends ServiceOptions {
  /** Exchange ids, each optionally with symbols after a colon: `deribit:BTC-PERPETUAL`. */
  readonly exchange: string | readonly string[];
  /** Normalized data types: `trade`, `book_change`, `book_snapshot_10_100ms`, `trade_bar_1m` and so on. */
  readonly types: TextList;
  /** Symbols of the exchanges that are given without symbols; default: the active ones. */
  readonly symbols?: TextList | undefined;
  /** Yield a `disconnect` message where the connection to the exchange broke. */
  readonly withDisconnects?: boolean | undefined;
  /** Reconnect after this long without a message; default: `10s`. */
  readonly timeoutInterval?: string | undefined;
  /** End the stream after this long, such as `10m`. */
  readonly for?: string | undefined;
  /** Write JSON lines to this file, compressed by `.gz` or `.zst`; the iterable is empty then. */
  readonly out?: string | undefined;
}
