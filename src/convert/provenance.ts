import { parseShallowJson } from '../base/json-depth.js';
import {
  DEFAULT_OUTPUT_FORMAT,
  OUTPUT_FORMAT_CHOICES,
  type OutputFormatName,
} from '../base/output-format-names.js';
import { VERSION } from '../base/packages.js';
import { DATA_TYPES, type DataType } from '../day-files/data-types.js';
import type { OutputOptions } from '../format/output-format.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { BarRules, ComputedType } from '../market/message-type-name.js';
import type { ConversionEntry } from '../store/manifest-record.js';

/** Content of a source, as it was read. */
export interface SourceContent {
  /** Compressed size. */
  readonly bytes: number;
  /** MD5 of the compressed bytes, in hex digits. */
  readonly md5: string;
  /** ETag of an object; if it still matches, the object need not be read again. */
  readonly etag?: string | undefined;
}

/** Name and content of a source. */
export interface SourceIdentity extends SourceContent {
  /** The file's name, without folders. */
  readonly name: string;
}

/**
 * Source and options of an output. It is stored with the output, so that a later run can tell if the output
 * is up to date.
 */
export interface Provenance {
  /** At least one, in the order of the rows. */
  readonly sources: readonly SourceIdentity[];
  readonly dataType: string;
  readonly rows: number;
  readonly options: ContentOptions;
}

/** All options that decide the content of an output. */
export type ContentOptions = OutputOptions & BarRules;

/** Key of the output's size in a record that is stored apart from the output. */
export const OUTPUT_BYTES_KEY = 'tickhaul.output_bytes';

const PROVENANCE_KEYS = {
  sources: 'tickhaul.sources',
  name: 'tickhaul.source',
  bytes: 'tickhaul.source_bytes',
  md5: 'tickhaul.source_md5',
  etag: 'tickhaul.source_etag',
  dataType: 'tickhaul.data_type',
  rows: 'tickhaul.rows',
  options: 'tickhaul.options',
  outputVersion: 'tickhaul.output_version',
  version: 'tickhaul.version',
} as const;

/** Formats a record as key-value pairs (docs/spec/parquet-mapping.md#metadata). */
export function formatProvenance({
  sources,
  dataType,
  rows,
  options,
}: Provenance): Readonly<Record<string, string>> {
  const version = outputVersion(dataType, options.format);
  return {
    ...formatSources(sources),
    [PROVENANCE_KEYS.dataType]: dataType,
    [PROVENANCE_KEYS.rows]: String(rows),
    [PROVENANCE_KEYS.options]: formatOptions(options),
    ...(version !== undefined && { [PROVENANCE_KEYS.outputVersion]: version }),
    [PROVENANCE_KEYS.version]: VERSION,
  };
}

/** Several sources are a list; a single one has a pair for each fact. */
function formatSources(sources: readonly SourceIdentity[]): Readonly<Record<string, string>> {
  const [source] = sources;
  if (!source || sources.length > 1) {
    const list = sources.map(({ name, bytes, md5, etag }) => ({ name, bytes, md5, etag }));
    return { [PROVENANCE_KEYS.sources]: JSON.stringify(list) };
  }
  return {
    [PROVENANCE_KEYS.name]: source.name,
    [PROVENANCE_KEYS.bytes]: String(source.bytes),
    [PROVENANCE_KEYS.md5]: source.md5,
    ...(source.etag !== undefined && { [PROVENANCE_KEYS.etag]: source.etag }),
  };
}

/** A source whose content is not known yet. */
export type UnreadSource = Omit<SourceIdentity, 'md5'>;

/**
 * Whether an output with these pairs is up to date: same sources in the same order, same options and output version
 * (docs/spec/parquet-mapping.md#up-to-date). The version of tickhaul does not count.
 * @param md5 called with the positions of sources in turn, only if all else matches and the ETag does not.
 */
export async function isUpToDate(
  pairs: Readonly<Record<string, string>>,
  sources: readonly UnreadSource[],
  dataType: string | undefined,
  options: ContentOptions,
  md5: (index: number) => Promise<string>,
): Promise<boolean> {
  const recorded = parseSources(pairs);
  const isSame =
    recorded.length === sources.length &&
    recorded.every(({ name, bytes }, i) => name === sources[i]?.name && bytes === sources[i]?.bytes) &&
    pairs[PROVENANCE_KEYS.options] === formatOptions(options) &&
    (dataType === undefined || pairs[PROVENANCE_KEYS.dataType] === dataType) &&
    !isOutdatedRecord(pairs, options.format);
  if (!isSame) return false;
  for (const [i, { etag, md5: expected }] of recorded.entries()) {
    const isUnchanged = etag !== undefined && sources[i]?.etag === etag;
    if (!isUnchanged && expected !== (await md5(i))) return false;
  }
  return true;
}

/** Whether this build writes another output version than the one in the pairs. */
export function isOutdatedRecord(pairs: Readonly<Record<string, string>>, format: OutputFormatName): boolean {
  return (
    pairs[PROVENANCE_KEYS.outputVersion] !== outputVersion(pairs[PROVENANCE_KEYS.dataType] ?? '', format)
  );
}

/** Number of rows; NaN if absent. */
export function parseRowCount(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[PROVENANCE_KEYS.rows] ?? Number.NaN);
}

/** Size of the output, if it is stored in the pairs; NaN if absent. */
export function parseOutputBytes(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[OUTPUT_BYTES_KEY] ?? Number.NaN);
}

/** Source of the output; undefined if the pairs are not a provenance record, or name several sources. */
function parseSource(pairs: Readonly<Record<string, string>>): SourceIdentity | undefined {
  const { name, md5, bytes, etag } = PROVENANCE_KEYS;
  const { [name]: source, [md5]: hash } = pairs;
  if (source === undefined || hash === undefined) return undefined;
  return { name: source, md5: hash, bytes: Number(pairs[bytes]), etag: pairs[etag] };
}

/** All sources of the output, in the order of its rows; none if the pairs are not a provenance record. */
export function parseSources(pairs: Readonly<Record<string, string>>): readonly SourceIdentity[] {
  const list = pairs[PROVENANCE_KEYS.sources];
  const single = parseSource(pairs);
  if (list === undefined) return single ? [single] : [];
  try {
    const sources = parseShallowJson(list);
    return Array.isArray(sources) ? sources.filter(isSourceIdentity) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isSourceIdentity(value: Partial<SourceIdentity> | null): value is SourceIdentity {
  return typeof value?.name === 'string' && typeof value.md5 === 'string' && typeof value.bytes === 'number';
}

/** Data type or computed type of the output; undefined if the pairs are not a provenance record. */
export function parseOutputType(pairs: Readonly<Record<string, string>>): string | undefined {
  return pairs[PROVENANCE_KEYS.dataType];
}

/** Formats the options as JSON with a fixed key order, so that equal options give equal text. */
function formatOptions(options: ContentOptions): string {
  const { format, compression, rowGroup, times, numbers, encodings, barTime, fill } = options;
  return JSON.stringify({ format, compression, rowGroup, times, numbers, encodings, barTime, fill });
}

/*
 * Raise a number here, or the writer's version of a format (`format/`), in the commit that changes the content
 * or the bytes of an output, for the same source and options. The next convert, download --convert or sync then writes
 * outputs of another version again. Speed-only changes do not need a new number. test/convert/versions.test.ts
 * fails until the number is raised.
 */

/** Columns and cells of the rows of a data type (`day-files/data-types.ts`). */
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
