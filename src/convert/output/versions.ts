import { DATA_TYPES, type DataType } from '../../dataset/data-types.js';
import type { Format } from '../../format/options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { ConversionEntry } from '../../store/types.js';

/*
 * Raise a number here in the commit that changes what an output of that kind holds, or its bytes, for the same source
 * and options: outputs of another version are made again by the next convert, download --convert or sync. Pure speed
 * changes need none. test/convert/output/versions.test.ts fails until the number is raised.
 */

/** Columns and cells of a data type's rows (`dataset/data-types.ts`). */
const ROWS: Readonly<Record<DataType, number>> = {
  trades: 1,
  incremental_book_L2: 1,
  quotes: 1,
  book_ticker: 1,
  derivative_ticker: 1,
  liquidations: 1,
  options_chain: 1,
  book_snapshot_5: 1,
  book_snapshot_25: 1,
};

/** Columns and rules of computed types (`convert/computed/`, `market/`). Quotes are book snapshots of one level. */
const COMPUTED: Readonly<Record<ComputedType['kind'], number>> = { trade_bar: 1, book_snapshot: 1 };

/** What each format's writer makes of the same rows (`format/parquet/`, `format/ndjson/`). */
const WRITERS: Readonly<Record<Format, number>> = { parquet: 1, ndjson: 1 };

/** The version of all outputs that were recorded before there were versions. Records leave it out. */
const FIRST = '1.1';

/**
 * The version of an output as its record has it, `<content>.<writer>`; undefined for the first one.
 * @param name of the data type or the computed type that it holds.
 */
export function outputVersion(name: string, format: Format): string | undefined {
  const version = `${contentVersion(name)}.${WRITERS[format]}`;
  return version === FIRST ? undefined : version;
}

/**
 * Whether a conversion that the manifest records is of another version than this build makes.
 * @param dataType of its day file.
 */
export function isOutdated({ computed, options, version }: ConversionEntry, dataType: string): boolean {
  const format = options['format'] === 'ndjson' ? 'ndjson' : 'parquet';
  return version !== outputVersion(computed ?? dataType, format);
}

/** Columns of a data type that is not known here are text, whatever they are. */
function contentVersion(name: string): number {
  const dataType = DATA_TYPES.find((known) => known === name);
  if (dataType) return ROWS[dataType];
  if (name.startsWith('trade_bar_')) return COMPUTED.trade_bar;
  return /^(?:book_snapshot_|quote(?:_|$))/.test(name) ? COMPUTED.book_snapshot : 1;
}
