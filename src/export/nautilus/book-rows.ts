import { createBatchError, getBooleans, getTextCodes } from '../../format/batch.js';
import { CATALOG_COLUMNS, type CatalogColumn, DEPTH_LEVELS, type FixedPrecision } from './catalog-columns.js';
import type { KernelMemory, LaneSet } from './lane-memory.js';
import type { InstrumentBatch, LaneDecoder, RowDecoder } from './row-decoder.js';

const SIDES: Readonly<Record<string, number>> = { bid: 1, ask: 2 };
const LANE = { isSnapshot: 0, side: 1, price: 2, size: 3, event: 4, init: 5 } as const;

/** Rows of a book before deltas are made of them. */
const ROW_COLUMNS: readonly CatalogColumn[] = [
  { name: 'is_snapshot', type: 'uint8', lane: 'byte' },
  ...CATALOG_COLUMNS.order_book_deltas.filter(({ name }) =>
    ['side', 'price', 'size', 'ts_event', 'ts_init'].includes(name),
  ),
];

/** Lanes of deltas, in the order of `DeltaLanes` in assembly/deltas.ts. */
const DELTA_LANES = ['action', 'side', 'price', 'size', 'flags', 'ts_event', 'ts_init'].map((name) =>
  CATALOG_COLUMNS.order_book_deltas.findIndex((column) => column.name === name),
);

/** Decodes rows of `incremental_book_L2`. */
export function createBookRowDecoder(decoder: LaneDecoder): RowDecoder {
  return {
    columns: ROW_COLUMNS,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      lanes.view(LANE.isSnapshot).set(getBooleans(rows.batch, 'is_snapshot'));
      const sides = getTextCodes(rows.batch, 'side', SIDES);
      const unknown = sides.indexOf(0);
      if (unknown >= 0) throw createBatchError(rows.batch, 'side', unknown, 'is neither bid nor ask');
      lanes.view(LANE.side).set(sides);
      decoder.decodeRequiredNumbers(rows, 'price', 'price', lanes.at(LANE.price));
      decoder.decodeRequiredNumbers(rows, 'amount', 'size', lanes.at(LANE.size));
    },
  };
}

/** Turns the rows of one instrument's book into deltas (docs/spec/nautilus-catalog.md#order-book-deltas). */
export class DeltaWriter {
  readonly #memory: KernelMemory;
  readonly #precision: FixedPrecision;
  /** The row before. */
  #isSnapshot = false;
  #time = 0n;

  constructor(memory: KernelMemory, precision: FixedPrecision) {
    this.#memory = memory;
    this.#precision = precision;
  }

  /**
   * Replaces `deltas` by those of the rows.
   * @param next exchange time of the row after them, in nanoseconds; undefined at the end.
   */
  write(rows: LaneSet, deltas: LaneSet, next: bigint | undefined): void {
    const count = rows.rows;
    deltas.open(2 * count);
    const addresses = [...rows.widths.map((_, i) => rows.at(i)), ...DELTA_LANES.map((i) => deltas.at(i))];
    const table = this.#memory.load('delta lanes', Uint32Array.from(addresses));
    const state = [Number(this.#isSnapshot), this.#time] as const;
    const width = this.#precision / 8;
    const hasNext = next === undefined ? 0 : 1;
    deltas.rows = this.#memory.kernel.writeDeltas(table, count, width, ...state, hasNext, next ?? 0n);
    this.#isSnapshot = rows.view(LANE.isSnapshot, count - 1, count)[0] === 1;
    this.#time = rows.readLong(LANE.event, count - 1);
  }
}

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
