import { CATALOG_COLUMNS } from './catalog-columns.js';
import type { LaneDecoder, RowDecoder } from './row-decoder.js';

/** Decodes rows of `quotes` and `book_ticker`; empty cells are 0. */
export function createQuoteDecoder(decoder: LaneDecoder): RowDecoder {
  return {
    columns: CATALOG_COLUMNS.quote_tick,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      decoder.decodeNumbers(rows, 'bid_price', 'price', lanes.at(0));
      decoder.decodeNumbers(rows, 'ask_price', 'price', lanes.at(1));
      decoder.decodeNumbers(rows, 'bid_amount', 'size', lanes.at(2));
      decoder.decodeNumbers(rows, 'ask_amount', 'size', lanes.at(3));
    },
  };
}
