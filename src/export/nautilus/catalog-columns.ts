import type { ArrowField } from '../../format/arrow/arrow-message.js';
import { type ParquetColumn, PhysicalType } from '../../format/parquet/parquet-schema.js';

/** Types of data in a catalog, by the name of their folder in a Python catalog. */
export type CatalogType = 'trade_tick' | 'quote_tick' | 'order_book_deltas' | 'order_book_depths' | 'bar';

/** Bits of a fixed-point number. */
export type FixedPrecision = 64 | 128;

/**
 * A column of a catalog's file. `lane` is the form of its values in memory: fixed-point numbers, nanoseconds, a byte, or
 * a slot with an id.
 */
export interface CatalogColumn {
  readonly name: string;
  readonly type: 'fixed' | 'uint8' | 'uint32' | 'uint64' | 'string';
  readonly lane: 'fixed' | 'time' | 'byte' | 'id';
}

/** Levels of each side in `order_book_depths`. */
export const DEPTH_LEVELS = 10;

/** Bytes of a slot with an id: the length, then up to 36 characters. */
const ID_SLOT_BYTES = 37;

const fixed = (...names: string[]): CatalogColumn[] =>
  names.map((name) => ({ name, type: 'fixed', lane: 'fixed' }));
const byte = (name: string, type: 'uint8' | 'uint32' | 'uint64' = 'uint8'): CatalogColumn => ({
  name,
  type,
  lane: 'byte',
});
const time = (name: string): CatalogColumn => ({ name, type: 'uint64', lane: 'time' });
const levels = (name: string): string[] => Array.from({ length: DEPTH_LEVELS }, (_, i) => `${name}_${i}`);

const TIMES = [time('ts_event'), time('ts_init')];

/** Columns in the order of the file; readers take them by position (docs/spec/nautilus-catalog.md#columns). */
export const CATALOG_COLUMNS: Readonly<Record<CatalogType, readonly CatalogColumn[]>> = {
  trade_tick: [
    ...fixed('price', 'size'),
    byte('aggressor_side'),
    { name: 'trade_id', type: 'string', lane: 'id' },
    ...TIMES,
  ],
  quote_tick: [...fixed('bid_price', 'ask_price', 'bid_size', 'ask_size'), ...TIMES],
  order_book_deltas: [
    byte('action'),
    byte('side'),
    ...fixed('price', 'size'),
    byte('order_id', 'uint64'),
    byte('flags'),
    byte('sequence', 'uint64'),
    ...TIMES,
  ],
  order_book_depths: [
    ...['bid_price', 'ask_price', 'bid_size', 'ask_size'].flatMap((name) => fixed(...levels(name))),
    ...['bid_count', 'ask_count'].flatMap(levels).map((name) => byte(name, 'uint32')),
    byte('flags'),
    byte('sequence', 'uint64'),
    ...TIMES,
  ],
  bar: [...fixed('open', 'high', 'low', 'close', 'volume'), ...TIMES],
};

/** Bytes of a value in memory. */
export function laneWidth({ lane }: Pick<CatalogColumn, 'lane'>, precision: FixedPrecision): number {
  return { fixed: precision / 8, time: 8, byte: 1, id: ID_SLOT_BYTES }[lane];
}

const MAX_GROUP_ROWS = 131_072;
const MAX_GROUP_BYTES = 12 * 1024 * 1024;

/** Rows of a row group. */
export function countGroupRows(type: CatalogType, precision: FixedPrecision): number {
  const rowBytes = CATALOG_COLUMNS[type].reduce((sum, column) => sum + laneWidth(column, precision), 0);
  return Math.min(MAX_GROUP_ROWS, Math.floor(MAX_GROUP_BYTES / rowBytes));
}

/** The columns as the Parquet writer takes them. */
export function toCatalogParquetColumns(
  columns: readonly CatalogColumn[],
  precision: FixedPrecision,
): readonly ParquetColumn[] {
  return columns.map(({ name, type }) => ({ name, required: true, ...toParquetType(type, precision) }));
}

function toParquetType(
  type: CatalogColumn['type'],
  precision: FixedPrecision,
): Pick<ParquetColumn, 'type' | 'typeLength' | 'logicalType'> {
  switch (type) {
    case 'fixed':
      return { type: PhysicalType.fixedLengthByteArray, typeLength: precision / 8, logicalType: undefined };
    case 'string':
      return { type: PhysicalType.byteArray, logicalType: 'string' };
    case 'uint64':
      return { type: PhysicalType.int64, logicalType: type };
    default:
      return { type: PhysicalType.int32, logicalType: type };
  }
}

/** The columns as Arrow fields. */
export function toCatalogArrowFields(
  columns: readonly CatalogColumn[],
  precision: FixedPrecision,
): readonly ArrowField[] {
  return columns.map(({ name, type }) => ({ name, type: toArrowType(type, precision), nullable: false }));
}

function toArrowType(type: CatalogColumn['type'], precision: FixedPrecision): ArrowField['type'] {
  if (type === 'fixed') return { name: 'fixedSizeBinary', bytes: precision / 8 };
  if (type === 'string') return { name: 'utf8' };
  return { name: 'int', bits: type === 'uint8' ? 8 : type === 'uint32' ? 32 : 64, isSigned: false };
}
