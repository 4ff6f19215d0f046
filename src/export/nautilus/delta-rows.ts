import { createCellError } from '../../format/csv/csv-cells.js';
import { getBooleans, getTextBytes, getTextCodes } from '../../market/batch-columns.js';
import { CATALOG_COLUMNS, type CatalogColumn, type FixedPrecision } from './catalog-columns.js';
import type { KernelMemory } from './kernel-memory.js';
import type { LaneSet } from './lane-set.js';
import type { LaneDecoder, RowDecoder } from './row-decoder.js';

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
      if (unknown >= 0) {
        const { batch, path: source } = rows;
        const line = (batch.firstLine?.line ?? 0) + unknown;
        const cell = getTextBytes(batch, 'side', unknown);
        throw createCellError({ source, line }, 'side', cell, 'is neither bid nor ask');
      }
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
