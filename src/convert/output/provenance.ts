import { VERSION } from '../../base/version.js';
import type { ConvertOptions, Format } from '../../format/convert-options.js';
import { outputVersion } from './versions.js';

/** What was read of the file that a conversion is made from. */
export interface SourceContent {
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed bytes, in hex digits. */
  readonly md5: string;
  /** Of an object: it needn't be read again to know that it is the same. */
  readonly etag?: string | undefined;
}

/** The file that a conversion was made from. */
export interface SourceIdentity extends SourceContent {
  /** The file's name, without folders. */
  readonly name: string;
}

/** What an output was made from, and how; kept with it, so that a later run knows whether to make it again. */
export interface Provenance {
  readonly source: SourceIdentity;
  readonly dataType: string;
  readonly rows: number;
  readonly options: ConvertOptions;
}

/** The key of an output's size, where its record is kept apart from it. */
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

/** The record as pairs of text, which a Parquet footer has room for. */
export function formatProvenance({
  source,
  dataType,
  rows,
  options,
}: Provenance): Readonly<Record<string, string>> {
  const made = outputVersion(dataType, options.format);
  return {
    [PROVENANCE_KEYS.name]: source.name,
    [PROVENANCE_KEYS.bytes]: String(source.bytes),
    [PROVENANCE_KEYS.md5]: source.md5,
    ...(source.etag !== undefined && { [PROVENANCE_KEYS.etag]: source.etag }),
    [PROVENANCE_KEYS.dataType]: dataType,
    [PROVENANCE_KEYS.rows]: String(rows),
    [PROVENANCE_KEYS.options]: formatOptions(options),
    ...(made !== undefined && { [PROVENANCE_KEYS.outputVersion]: made }),
    [PROVENANCE_KEYS.version]: VERSION,
  };
}

/**
 * Whether the pairs are of an output that the same file gave with the same options, in the version that is made now;
 * its md5 is only asked for where all else is the same, and no ETag tells. The version of tickhaul doesn't count.
 */
export async function isMadeFrom(
  pairs: Readonly<Record<string, string>>,
  source: Omit<SourceIdentity, 'md5'>,
  dataType: string | undefined,
  options: ConvertOptions,
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

/** Whether the pairs are of an output of another version than this build makes. */
export function isOutdatedRecord(pairs: Readonly<Record<string, string>>, format: Format): boolean {
  return (
    pairs[PROVENANCE_KEYS.outputVersion] !== outputVersion(pairs[PROVENANCE_KEYS.dataType] ?? '', format)
  );
}

/** Rows that the record tells of; NaN for none. */
export function parseRows(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[PROVENANCE_KEYS.rows] ?? Number.NaN);
}

/** Bytes of the output, where they are recorded apart from it; NaN for none. */
export function parseOutputBytes(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[OUTPUT_BYTES_KEY] ?? Number.NaN);
}

/** The source that the record tells of; undefined for pairs that are no record. */
export function parseSource(pairs: Readonly<Record<string, string>>): SourceIdentity | undefined {
  const { [PROVENANCE_KEYS.name]: name, [PROVENANCE_KEYS.md5]: md5, [PROVENANCE_KEYS.bytes]: bytes } = pairs;
  return name === undefined || md5 === undefined ? undefined : { name, md5, bytes: Number(bytes) };
}

/** In one order of keys, whatever the object's. */
function formatOptions({ format, compression, rowGroup, times, numbers }: ConvertOptions): string {
  return JSON.stringify({ format, compression, rowGroup, times, numbers });
}
