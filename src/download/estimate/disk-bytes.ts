import { ROWS_ONLY } from '../../convert/output-selection.js';
import type { ConvertSetting } from '../download-options.js';

/** What a conversion takes for each byte of the compressed CSV, to the nearest round number. */
const PARQUET_RATIO = { zstd: 1, gzip: 1, snappy: 2, none: 4 } as const;
/** A computed type, for each byte of its rows' conversion: a bar takes next to nothing, deep books more than this. */
const COMPUTED_RATIO = 0.2;
/** Each row of it names every column. */
const NDJSON_COMPRESSED_RATIO = 1.5;
const NDJSON_PLAIN_RATIO = 15;

/** Bytes that day files of so many take on disk, with what they are converted to. */
export function estimateDiskBytes(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { outputSelection = ROWS_ONLY } = convert;
  const { format, compression } = convert.options;
  const ndjson = compression === 'none' ? NDJSON_PLAIN_RATIO : NDJSON_COMPRESSED_RATIO;
  const factor = format === 'parquet' ? PARQUET_RATIO[compression] : ndjson;
  const made = (outputSelection.rows ? 1 : 0) + COMPUTED_RATIO * outputSelection.computed.length;
  return bytes * (factor * made + (convert.keepCsv ? 1 : 0));
}
