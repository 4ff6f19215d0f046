/** Computed types keep their state for each instrument, and never mix two of them. */
export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
}
