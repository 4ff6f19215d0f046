import { type DataType, isDataType } from '../../dataset/data-types.js';
import type { DaySize } from '../../store/manifest/download-history.js';

/** Rows of a day of a symbol that is traded a good deal, and compressed bytes of a row. */
interface TypicalDay {
  readonly rows: number;
  readonly bytesPerRow: number;
}

/**
 * Bytes a row are those of real files (service facts, CSV layouts: incremental_book_L2 79 to 144 MB of 12 to 24 million
 * rows, options_chain 9.5 GB of 100 million), rows a day their order of magnitude: a quiet symbol has a thousandth.
 */
const TYPICAL_DAYS: Readonly<Record<DataType, TypicalDay>> = {
  trades: { rows: 500_000, bytesPerRow: 14 },
  incremental_book_L2: { rows: 15_000_000, bytesPerRow: 6.5 },
  quotes: { rows: 2_500_000, bytesPerRow: 12 },
  book_ticker: { rows: 5_000_000, bytesPerRow: 12 },
  derivative_ticker: { rows: 90_000, bytesPerRow: 24 },
  liquidations: { rows: 1000, bytesPerRow: 30 },
  // Exported for all options of an exchange together.
  options_chain: { rows: 50_000_000, bytesPerRow: 95 },
  book_snapshot_5: { rows: 1_000_000, bytesPerRow: 40 },
  book_snapshot_25: { rows: 1_000_000, bytesPerRow: 120 },
};

/** What a day of a data type usually comes to; undefined for a type that isn't known here. */
export function typicalDaySize(dataType: string): DaySize | undefined {
  return isDataType(dataType) ? rowsToDaySize(dataType, TYPICAL_DAYS[dataType].rows) : undefined;
}

/** A day of so many rows. */
export function rowsToDaySize(dataType: DataType, rows: number): DaySize {
  return { rows, bytes: rows * TYPICAL_DAYS[dataType].bytesPerRow };
}

/** A day of so many bytes. */
export function bytesToDaySize(dataType: string, bytes: number): DaySize {
  return { bytes, rows: isDataType(dataType) ? bytes / TYPICAL_DAYS[dataType].bytesPerRow : 0 };
}
