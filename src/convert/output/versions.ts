import {
  DEFAULT_OUTPUT_FORMAT,
  OUTPUT_FORMAT_CHOICES,
  type OutputFormatName,
} from '../../base/output-format-names.js';
import { DATA_TYPES, type DataType } from '../../dataset/data-types.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import type { ConversionEntry } from '../../store/manifest-record.js';

/*
 * Raise a number here, or the writer's version of a format (`format/`), in the commit that changes the content
 * or the bytes of an output, for the same source and options. The next convert, download --convert or sync then writes
 * outputs of another version again. Speed-only changes do not need a new number. test/convert/output/versions.test.ts
 * fails until the number is raised.
 */

/** Columns and cells of the rows of a data type (`dataset/data-types.ts`). */
const ROWS_VERSIONS: Readonly<Record<DataType, number>> = {
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

/**
 * Columns and rules of computed types (`convert/computed/`, `market/`). Quotes are book snapshots of one
 * level.
 */
const COMPUTED_VERSIONS: Readonly<Record<ComputedType['kind'], number>> = { trade_bar: 1, book_snapshot: 1 };

/** Version of all outputs written before versions existed. Records omit it. */
const FIRST_VERSION = '1.1';

/**
 * Version of an output in its record, `<content>.<writer>`; undefined for the first one.
 * @param name the data type or computed type.
 */
export function outputVersion(name: string, format: OutputFormatName): string | undefined {
  const version = `${contentVersion(name)}.${OUTPUT_FORMATS[format].writerVersion}`;
  return version === FIRST_VERSION ? undefined : version;
}

/**
 * Whether this build writes another output version than a conversion in the manifest has.
 * @param dataType data type of the day file.
 */
export function isOutdated({ computed, options, version }: ConversionEntry, dataType: string): boolean {
  const format = OUTPUT_FORMAT_CHOICES.find((name) => name === options['format']) ?? DEFAULT_OUTPUT_FORMAT;
  return version !== outputVersion(computed ?? dataType, format);
}

/** All columns of an unknown data type are text, so its version never changes. */
function contentVersion(name: string): number {
  const dataType = DATA_TYPES.find((known) => known === name);
  if (dataType) return ROWS_VERSIONS[dataType];
  if (name.startsWith('trade_bar_')) return COMPUTED_VERSIONS.trade_bar;
  return /^(?:book_snapshot_|quote(?:_|$))/.test(name) ? COMPUTED_VERSIONS.book_snapshot : 1;
}
