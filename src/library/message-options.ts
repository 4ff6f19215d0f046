import type {
  CacheOptions,
  FolderOptions,
  LayoutOptions,
  List,
  ServiceOptions,
  TransferOptions,
} from './options.js';

/** A period is `date`, `last`, or `from` and `to`: UTC days or ISO 8601 times, `to` not included. */
interface PeriodOptions extends ServiceOptions, TransferOptions {
  /** Of the exchanges that name none of their own; default: all. */
  readonly symbols?: List | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: string | undefined;
  /** The last exported days: `7`, or `'7d'`. */
  readonly last?: number | string | undefined;
  /** Tell where the connection to the exchange broke; not with day files, which don't know. */
  readonly withDisconnects?: boolean | undefined;
  /** Only what is on disk; what is missing ends the call with exit code 7. */
  readonly offline?: boolean | undefined;
  /** Pace by local timestamps: 1 is real time; default: `max`. */
  readonly speed?: number | 'max' | undefined;
  /** JSON lines to this file or `s3://bucket/key`, compressed by `.gz` or `.zst`; the iterable yields none then. */
  readonly out?: string | undefined;
}

/** What becomes of the slices of raw data. */
interface SliceOptions extends CacheOptions {
  /** First remove all that the cache folder has of raw data. */
  readonly clearCache?: boolean | undefined;
  /** Bytes of raw data to keep, as `20GB`: what was used least recently goes; default: all. */
  readonly cacheLimit?: number | string | undefined;
}

/** A replay of normalized messages. Folder and layout are for day files, the cache for the raw data API. */
export interface ReplayOptions extends PeriodOptions, FolderOptions, LayoutOptions, SliceOptions {
  /** Exchange ids, each with symbols after a colon where it has some of its own: `deribit:BTC-PERPETUAL`. */
  readonly exchange: string | readonly string[];
  /** Normalized data types: `trade`, `book_change`, `book_snapshot_10_100ms`, `trade_bar_1m` and so on. */
  readonly types: List;
  /** Where messages come from: day files (the default), or the raw data API. */
  readonly source?: 'datasets' | 'feeds' | undefined;
  readonly channels?: undefined;
}

/** A replay of an exchange's own messages. */
export interface RawReplayOptions extends PeriodOptions, SliceOptions {
  /** One exchange id, with symbols after a colon or without. */
  readonly exchange: string;
  /** The exchange's own channels, or `all` for every one. */
  readonly channels: List;
  readonly source?: 'feeds' | undefined;
  readonly types?: undefined;
}

/** Ended by `signal`, by `for`, or by its reader, it has ended well. */
export interface StreamOptions extends ServiceOptions {
  /** Exchange ids, each with symbols after a colon where it has some of its own: `deribit:BTC-PERPETUAL`. */
  readonly exchange: string | readonly string[];
  /** Normalized data types: `trade`, `book_change`, `book_snapshot_10_100ms`, `trade_bar_1m` and so on. */
  readonly types: List;
  /** Of the exchanges that name none of their own; default: the active ones. */
  readonly symbols?: List | undefined;
  /** A `disconnect` message where the connection to the exchange broke. */
  readonly withDisconnects?: boolean | undefined;
  /** A connection silent for this long is made anew; default: `10s`. */
  readonly timeoutInterval?: string | undefined;
  /** Ends after this long, as `10m`. */
  readonly for?: string | undefined;
  /** JSON lines to this file, compressed by `.gz` or `.zst`; the iterable yields none then. */
  readonly out?: string | undefined;
}
