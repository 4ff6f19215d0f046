import { VERSION } from '../../base/version.js';
import type { ConvertOptions, Format } from '../../format/options.js';
import { outputVersion } from './versions.js';

/** What was read of the file that a conversion is made from. */
export interface SourceBytes {
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed bytes, in hex digits. */
  readonly md5: string;
  /** Of an object: it needn't be read again to know that it is the same. */
  readonly etag?: string | undefined;
}

/** The file that a conversion was made from. */
export interface SourceIdentity extends SourceBytes {
  /** The file's name, without folders. */
  readonly name: string;
}

/** What an output was made from, and how; kept with it, so that a later run knows whether to make it again. */
export interface ConversionRecord {
  readonly source: SourceIdentity;
  readonly dataType: string;
  readonly rows: number;
  readonly options: ConvertOptions;
}

/** The key of an output's size, where its record is kept apart from it. */
export const OUTPUT_BYTES = 'tickhaul.output_bytes';

const KEYS = {
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
export function formatRecord({
  source,
  dataType,
  rows,
  options,
}: ConversionRecord): Readonly<Record<string, string>> {
  const made = outputVersion(dataType, options.format);
  return {
    [KEYS.name]: source.name,
    [KEYS.bytes]: String(source.bytes),
    [KEYS.md5]: source.md5,
    ...(source.etag !== undefined && { [KEYS.etag]: source.etag }),
    [KEYS.dataType]: dataType,
    [KEYS.rows]: String(rows),
    [KEYS.options]: formatOptions(options),
    ...(made !== undefined && { [KEYS.outputVersion]: made }),
    [KEYS.version]: VERSION,
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
    pairs[KEYS.name] === source.name &&
    pairs[KEYS.bytes] === String(source.bytes) &&
    pairs[KEYS.options] === formatOptions(options) &&
    (dataType === undefined || pairs[KEYS.dataType] === dataType) &&
    !isOutdatedRecord(pairs, options.format) &&
    ((source.etag !== undefined && pairs[KEYS.etag] === source.etag) || pairs[KEYS.md5] === (await md5()))
  );
}

/** Whether the pairs are of an output of another version than this build makes. */
export function isOutdatedRecord(pairs: Readonly<Record<string, string>>, format: Format): boolean {
  return pairs[KEYS.outputVersion] !== outputVersion(pairs[KEYS.dataType] ?? '', format);
}

/** Rows that the record tells of; NaN for none. */
export function rowsOf(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[KEYS.rows] ?? Number.NaN);
}

/** Bytes of the output, where they are recorded apart from it; NaN for none. */
export function outputBytesOf(pairs: Readonly<Record<string, string>>): number {
  return Number(pairs[OUTPUT_BYTES] ?? Number.NaN);
}

/** The source that the record tells of; undefined for pairs that are no record. */
export function sourceOf(pairs: Readonly<Record<string, string>>): SourceIdentity | undefined {
  const { [KEYS.name]: name, [KEYS.md5]: md5, [KEYS.bytes]: bytes } = pairs;
  return name === undefined || md5 === undefined ? undefined : { name, md5, bytes: Number(bytes) };
}

/** In one order of keys, whatever the object's. */
function formatOptions({ format, compression, rowGroup, times, numbers }: ConvertOptions): string {
  return JSON.stringify({ format, compression, rowGroup, times, numbers });
}
