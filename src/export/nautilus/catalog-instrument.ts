/** An instrument as the catalog has it. */
export interface CatalogInstrument {
  /** `<SYMBOL>.<VENUE>`. */
  readonly id: string;
  /** As in the source's cells. */
  readonly symbol: string;
  /** Decimals of prices and sizes. */
  readonly precision: { readonly price: number; readonly size: number };
}
