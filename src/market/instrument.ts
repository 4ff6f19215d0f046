/** What state is kept by: computed types never mix two of them. */
export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
}
