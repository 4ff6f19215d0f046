import { ROWS_ONLY } from '../../convert/output-selection.js';
import type { ConvertSetting } from '../download-options.js';

/** Size of a Parquet file relative to the compressed CSV, rounded. */
const PARQUET_RATIO = { zstd: 1, gzip: 1, snappy: 2, none: 4 } as const;
/**
 * Size of a computed type relative to the conversion of its rows: bars are far smaller, deep books larger.
 */
const COMPUTED_RATIO = 0.2;
/** NDJSON relative to the compressed CSV: each row repeats all column names. */
const NDJSON_COMPRESSED_RATIO = 1.5;
const NDJSON_PLAIN_RATIO = 15;

/** Estimates the bytes on disk of day files and their conversions. @param bytes size of the day files. */
export function estimateDiskBytes(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { outputSelection = ROWS_ONLY } = convert;
  const { format, compression } = convert.options;
  const ndjson = compression === 'none' ? NDJSON_PLAIN_RATIO : NDJSON_COMPRESSED_RATIO;
  const factor = format === 'parquet' ? PARQUET_RATIO[compression] : ndjson;
  const outputCount = (outputSelection.rows ? 1 : 0) + COMPUTED_RATIO * outputSelection.computed.length;
  return bytes * (factor * outputCount + (convert.keepCsv ? 1 : 0));
}
