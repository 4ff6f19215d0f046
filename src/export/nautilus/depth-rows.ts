import { CATALOG_COLUMNS, DEPTH_LEVELS } from './catalog-columns.js';
import type { LaneSet } from './lane-set.js';
import type { InstrumentBatch, LaneDecoder, RowDecoder } from './row-decoder.js';

/** A snapshot that is complete: F_LAST and F_SNAPSHOT. */
const FLAGS = 128 + 32;
/** First lanes of the levels of each side, and the lane of the flags. */
const BIDS = { price: 0, size: 2 * DEPTH_LEVELS, count: 4 * DEPTH_LEVELS };
const ASKS = { price: DEPTH_LEVELS, size: 3 * DEPTH_LEVELS, count: 5 * DEPTH_LEVELS };
const FLAGS_LANE = 6 * DEPTH_LEVELS;

/** The columns of a deep snapshot that are used. */
export const DEPTH_SOURCE_COLUMNS: readonly string[] = [
  ...['symbol', 'timestamp', 'local_timestamp'],
  ...Array.from({ length: DEPTH_LEVELS }, (_, level) =>
    ['bids', 'asks'].flatMap((side) => [`${side}[${level}].price`, `${side}[${level}].amount`]),
  ).flat(),
];

/**
 * Decodes rows of `book_snapshot_5` and `book_snapshot_25`: ten levels, of which those without a price are 0.
 * @param depth levels of the source.
 */
export function createDepthDecoder(decoder: LaneDecoder, depth: number): RowDecoder {
  return {
    columns: CATALOG_COLUMNS.order_book_depths,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      for (let level = 0; level < Math.min(depth, DEPTH_LEVELS); level++) {
        decodeLevel(decoder, rows, lanes, `bids[${level}]`, BIDS, level);
        decodeLevel(decoder, rows, lanes, `asks[${level}]`, ASKS, level);
      }
      lanes.view(FLAGS_LANE).fill(FLAGS);
    },
  };
}

function decodeLevel(
  decoder: LaneDecoder,
  rows: InstrumentBatch,
  lanes: LaneSet,
  name: string,
  side: typeof BIDS,
  level: number,
): void {
  const { nulls } = decoder.decodeNumbers(rows, `${name}.price`, 'price', lanes.at(side.price + level));
  decoder.decodeNumbers(rows, `${name}.amount`, 'size', lanes.at(side.size + level));
  const counts = lanes.view(side.count + level).fill(1);
  if (!nulls) return;
  const sizes = lanes.view(side.size + level);
  const width = lanes.widths[side.size] as number;
  for (let row = 0; row < lanes.rows; row++) {
    if (nulls[row] !== 1) continue;
    counts[row] = 0;
    sizes.fill(0, row * width, (row + 1) * width);
  }
}
