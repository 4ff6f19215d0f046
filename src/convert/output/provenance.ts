import type { OutputFormatName } from '../../base/output-format-names.js';
import { VERSION } from '../../base/version.js';
import type { OutputOptions } from '../../format/output-options.js';
import { outputVersion } from './versions.js';

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
  readonly source: SourceIdentity;
  readonly dataType: string;
  readonly rows: number;
  readonly options: OutputOptions;
}

/** Key of the output's size in a record that is stored apart from the output. */
export const OUTPUT_BYTES_KEY = 'tickhaul.output_bytes';

const PROVENANCE_KEYS = {
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
  source,
  dataType,
  rows,
  options,
}: Provenance): Readonly<Record<string, string>> {
  const version = outputVersion(dataType, options.format);
  return {
    [PROVENANCE_KEYS.name]: source.name,
    [PROVENANCE_KEYS.bytes]: String(source.bytes),
    [PROVENANCE_KEYS.md5]: source.md5,
    ...(source.etag !== undefined && { [PROVENANCE_KEYS.etag]: source.etag }),
    [PROVENANCE_KEYS.dataType]: dataType,
    [PROVENANCE_KEYS.rows]: String(rows),
    [PROVENANCE_KEYS.options]: formatOptions(options),
    ...(version !== undefined && { [PROVENANCE_KEYS.outputVersion]: version }),
    [PROVENANCE_KEYS.version]: VERSION,
  };
}

/**
 * Whether an output with these pairs is up to date: same source, options and output version
 * (docs/spec/parquet-mapping.md#up-to-date). The version of tickhaul does not count.
 * @param md5 called only if all else matches and the ETag does not.
 */
export async function isUpToDate(
  pairs: Readonly<Record<string, string>>,
  source: Omit<SourceIdentity, 'md5'>,
  dataType: string | undefined,
  options: OutputOptions,
  md5: () => Promise<string>,
): Promise<boolean> {
  return (
    pairs[PROVENANCE_KEYS.name] === source.name &&
    pairs[PROVENANCE_KEYS.bytes] === String(source.bytes) &&
    pairs[PROVENANCE_KEYS.options] === formatOptions(options) &&
    (dataType === undefined || pairs[PROVENANCE_KEYS.dataType] === dataType) &&
    !isOutdatedRecord(pairs, options.format) &&
    ((source.etag !== undefined && pairs[PROVENANCE_KEYS.etag] === source.etag) ||
      pairs[PROVENANCE_KEYS.md5] === (await md5()))
  );
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

/** Source of the output; undefined if the pairs are not a provenance record. */
export function parseSource(pairs: Readonly<Record<string, string>>): SourceIdentity | undefined {
  const { [PROVENANCE_KEYS.name]: name, [PROVENANCE_KEYS.md5]: md5, [PROVENANCE_KEYS.bytes]: bytes } = pairs;
  return name === undefined || md5 === undefined ? undefined : { name, md5, bytes: Number(bytes) };
}

/** Data type or computed type of the output; undefined if the pairs are not a provenance record. */
export function parseOutputType(pairs: Readonly<Record<string, string>>): string | undefined {
  return pairs[PROVENANCE_KEYS.dataType];
}

/** Formats the options as JSON with a fixed key order, so that equal options give equal text. */
function formatOptions({ format, compression, rowGroup, times, numbers, encodings }: OutputOptions): string {
  return JSON.stringify({ format, compression, rowGroup, times, numbers, encodings });
}
