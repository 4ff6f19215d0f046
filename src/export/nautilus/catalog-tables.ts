import type { DataType } from '../../day-files/data-types.js';
import { createBarDecoder } from './bar-rows.js';
import { createBookRowDecoder, createDepthDecoder, DEPTH_SOURCE_COLUMNS } from './book-rows.js';
import type { CatalogType } from './catalog-columns.js';
import type { LaneDecoder, RowDecoder } from './row-decoder.js';
import { createQuoteDecoder, createTradeDecoder } from './tick-rows.js';

/** How a data type of day files becomes a type of the catalog. */
export interface CatalogTable {
  readonly type: CatalogType;
  createDecoder(decoder: LaneDecoder): RowDecoder;
  /** Columns of the day file that are used, if most are not. */
  readonly sourceColumns?: readonly string[];
  /** Lane whose zeros leave a row out, as the catalog cannot have them. */
  readonly requiredLane?: { readonly index: number; readonly what: string };
}

/** Data types that a catalog has. */
export const CATALOG_TABLES = {
  trades: {
    type: 'trade_tick',
    createDecoder: createTradeDecoder,
    requiredLane: { index: 1, what: 'of size 0' },
  },
  quotes: { type: 'quote_tick', createDecoder: createQuoteDecoder },
  book_ticker: { type: 'quote_tick', createDecoder: createQuoteDecoder },
  incremental_book_L2: { type: 'order_book_deltas', createDecoder: createBookRowDecoder },
  book_snapshot_5: {
    type: 'order_book_depths',
    createDecoder: (decoder) => createDepthDecoder(decoder, 5),
  },
  book_snapshot_25: {
    type: 'order_book_depths',
    createDecoder: (decoder) => createDepthDecoder(decoder, 25),
    sourceColumns: DEPTH_SOURCE_COLUMNS,
  },
} as const satisfies Partial<Record<DataType, CatalogTable>>;

export type CatalogSourceType = keyof typeof CATALOG_TABLES;

/** Bars of trades. */
export const BAR_TABLE: CatalogTable = {
  type: 'bar',
  createDecoder: createBarDecoder,
  requiredLane: { index: 4, what: 'of volume 0' },
};
