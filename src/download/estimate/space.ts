import { ROWS } from '../../convert/wanted.js';
import type { ConvertSetting } from '../types.js';

/** What a conversion takes for each byte of the compressed CSV, to the nearest round number. */
const PARQUET = { zstd: 1, gzip: 1, snappy: 2, none: 4 } as const;
/** A computed type, for each byte of its rows' conversion: a bar takes next to nothing, deep books more than this. */
const COMPUTED = 0.2;
/** Each row of it names every column. */
const NDJSON_COMPRESSED = 1.5;
const NDJSON_PLAIN = 15;

/** Bytes that day files of so many take on disk, with what they are converted to. */
export function bytesOnDisk(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { wanted = ROWS } = convert;
  const { format, compression } = convert.options;
  const ndjson = compression === 'none' ? NDJSON_PLAIN : NDJSON_COMPRESSED;
  const factor = format === 'parquet' ? PARQUET[compression] : ndjson;
  const made = (wanted.rows ? 1 : 0) + COMPUTED * wanted.computed.length;
  return bytes * (factor * made + (convert.keepCsv ? 1 : 0));
}
