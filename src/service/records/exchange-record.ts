/**
 * Exchange records of the metadata host (`docs/spec/metadata-api.md#exchange-record`). Unknown fields are kept. Times
 * are ISO 8601, UTC.
 */

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

/** `/v1/exchanges/:exchange`; `datasets` is absent if the exchange has no day files. */
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
