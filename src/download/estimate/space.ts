import type { ConvertSetting } from '../types.js';

/** What a conversion takes for each byte of the compressed CSV, to the nearest round number. */
const PARQUET = { zstd: 1, gzip: 1, snappy: 2, none: 4 } as const;
/** Each row of it names every column. */
const NDJSON_COMPRESSED = 1.5;
const NDJSON_PLAIN = 15;

/** Bytes that day files of so many take on disk, with what they are converted to. */
export function bytesOnDisk(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { format, compression } = convert.options;
  const ndjson = compression === 'none' ? NDJSON_PLAIN : NDJSON_COMPRESSED;
  const factor = format === 'parquet' ? PARQUET[compression] : ndjson;
  return bytes * (factor + (convert.keepCsv ? 1 : 0));
}
