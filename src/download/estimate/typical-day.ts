import { type DataType, isDataType } from '../../dataset/data-types.js';
import type { DaySize } from '../../store/manifest/download-history.js';

/** Rows per day of an active symbol, and compressed bytes per row. */
interface TypicalDay {
  readonly rows: number;
  readonly bytesPerRow: number;
}

/**
 * Bytes per row were measured on real files: incremental_book_L2 79 to 144 MB for 12 to 24 million rows, options_chain
 * 9.5 GB for 100 million. Rows per day are orders of magnitude: a quiet symbol has a thousandth.
 */
const TYPICAL_DAYS: Readonly<Record<DataType, TypicalDay>> = {
  trades: { rows: 500_000, bytesPerRow: 14 },
  incremental_book_L2: { rows: 15_000_000, bytesPerRow: 6.5 },
  quotes: { rows: 2_500_000, bytesPerRow: 12 },
  book_ticker: { rows: 5_000_000, bytesPerRow: 12 },
  derivative_ticker: { rows: 90_000, bytesPerRow: 24 },
  liquidations: { rows: 1000, bytesPerRow: 30 },
  // One file per exchange with all options.
  options_chain: { rows: 50_000_000, bytesPerRow: 95 },
  book_snapshot_5: { rows: 1_000_000, bytesPerRow: 40 },
  book_snapshot_25: { rows: 1_000_000, bytesPerRow: 120 },
};

/** The typical size of a day of a data type; undefined for an unknown type. */
export function typicalDaySize(dataType: string): DaySize | undefined {
  return isDataType(dataType) ? rowsToDaySize(dataType, TYPICAL_DAYS[dataType].rows) : undefined;
}

/** The size of a day with a number of rows. */
export function rowsToDaySize(dataType: DataType, rows: number): DaySize {
  return { rows, bytes: rows * TYPICAL_DAYS[dataType].bytesPerRow };
}

/** The size of a day with a number of bytes. */
export function bytesToDaySize(dataType: string, bytes: number): DaySize {
  return { bytes, rows: isDataType(dataType) ? bytes / TYPICAL_DAYS[dataType].bytesPerRow : 0 };
}
