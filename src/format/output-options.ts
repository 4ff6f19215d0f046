import { usageError } from '../base/errors.js';
import type { Compression } from './compression/compressor.js';

export type Format = 'parquet' | 'ndjson';

/** Options of a conversion. Plain data, which can be posted to other threads. */
export interface OutputOptions {
  readonly format: Format;
  readonly compression: Compression;
  /** Rows per Parquet row group; undefined for a default that depends on the schema. */
  readonly rowGroup?: number | undefined;
  readonly times: 'timestamp' | 'int' | 'iso';
  readonly numbers: 'double' | 'string';
}

/**
 * Adds the defaults of the format.
 * @throws TickhaulError `usage` for options that the format does not support.
 */
export function createOutputOptions(
  format: Format,
  options: {
    readonly [K in 'compression' | 'rowGroup' | 'times' | 'numbers']?: OutputOptions[K] | undefined;
  },
): OutputOptions {
  const { compression, rowGroup, times, numbers = 'double' } = options;
  if (format === 'parquet') {
    if (times === 'iso') throw usageError('--times iso: requires NDJSON; use timestamp or int for Parquet');
    return {
      format,
      compression: compression ?? 'zstd',
      ...(rowGroup !== undefined && { rowGroup }),
      times: times ?? 'timestamp',
      numbers,
    };
  }
  if (times === 'timestamp')
    throw usageError('--times timestamp: requires Parquet; use int or iso for NDJSON');
  if (compression === 'snappy')
    throw usageError('--compression snappy: requires Parquet; use zstd or gzip for NDJSON');
  if (rowGroup !== undefined) throw usageError('--row-group: requires Parquet; NDJSON has no row groups');
  return { format, compression: compression ?? 'none', times: times ?? 'int', numbers };
}

const NDJSON_EXTENSIONS = {
  none: 'ndjson',
  gzip: 'ndjson.gz',
  zstd: 'ndjson.zst',
  snappy: 'ndjson',
} as const;

/** File name extension of an output, without the leading dot. */
export function outputExtension({ format, compression }: OutputOptions): string {
  return format === 'parquet' ? 'parquet' : NDJSON_EXTENSIONS[compression];
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** About 24 MB of numbers: limits the batches of a wide schema, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;
/** NDJSON has no groups; small batches reuse memory that the process already has. */
const MAX_NDJSON_CELLS = 64 * 1024;

/** Rows per batch; a Parquet row group is one batch. */
export function chooseBatchRows({ format, rowGroup }: OutputOptions, columns: number): number {
  if (format === 'ndjson') return Math.max(1024, Math.floor(MAX_NDJSON_CELLS / columns));
  return rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns)));
}
