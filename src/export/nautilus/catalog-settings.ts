import type { FixedPrecision } from './catalog-columns.js';

/** Facts of an instrument; undefined if they are not known. */
export interface InstrumentSettings {
  /** Decimals of prices and sizes. */
  readonly price?: number | undefined;
  readonly size?: number | undefined;
  /** What the id has after the symbol, such as `-PERP`. */
  readonly suffix?: string | undefined;
}

/** Settings of a job, as JSON. */
export interface CatalogSettings {
  readonly catalog: 'python' | 'rust';
  readonly precision: FixedPrecision;
  /** Name of the bars to make of trades, such as `trade_bar_1m`. */
  readonly bars?: string | undefined;
  /** Id of the only symbol. */
  readonly instrumentId?: string | undefined;
  /** Facts by symbol, in upper case; those of `*` are of all others. */
  readonly instruments: Readonly<Record<string, InstrumentSettings>>;
}
