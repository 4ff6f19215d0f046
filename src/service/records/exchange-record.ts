/** What the metadata host tells of exchanges; fields that nobody knows are kept. Times are ISO 8601, UTC. */

/** An element of `/v1/exchanges`. */
export interface ExchangeSummary {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly delisted?: boolean | undefined;
  readonly supportsDatasets?: boolean | undefined;
  readonly availableSince?: string | undefined;
  readonly availableTo?: string | undefined;
}

/** `/v1/exchanges/:exchange`; without `datasets` where there are no CSV datasets. */
export interface ExchangeRecord extends ExchangeSummary {
  readonly datasets?:
    | {
        readonly [field: string]: unknown;
        readonly exportedFrom?: string | undefined;
        readonly exportedUntil: string;
        readonly symbols: readonly DatasetSymbol[];
      }
    | undefined;
}

/** An element of a record's `datasets.symbols`. */
export interface DatasetSymbol {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly dataTypes: readonly string[];
  readonly type?: string | undefined;
  readonly availableSince?: string | undefined;
  readonly availableTo?: string | undefined;
}
