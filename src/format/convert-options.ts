import { usageError } from '../base/errors.js';
import type { Compression } from './compression/compressor.js';

export type Format = 'parquet' | 'ndjson';

/** How files are converted (contract, Convert); plain data, so it goes to other threads as it is. */
export interface ConvertOptions {
  readonly format: Format;
  readonly compression: Compression;
  /** Rows a Parquet row group; undefined for what suits the schema. */
  readonly rowGroup?: number | undefined;
  readonly times: 'timestamp' | 'int' | 'iso';
  readonly numbers: 'double' | 'string';
}

/**
 * Fills in what isn't chosen.
 * @throws usage error for what the format doesn't know.
 */
export function createConvertOptions(
  format: Format,
  chosen: {
    readonly [K in 'compression' | 'rowGroup' | 'times' | 'numbers']?: ConvertOptions[K] | undefined;
  },
): ConvertOptions {
  const { compression, rowGroup, times, numbers = 'double' } = chosen;
  if (format === 'parquet') {
    if (times === 'iso') throw usageError('--times iso is for NDJSON; Parquet knows timestamp and int');
    return {
      format,
      compression: compression ?? 'zstd',
      ...(rowGroup !== undefined && { rowGroup }),
      times: times ?? 'timestamp',
      numbers,
    };
  }
  if (times === 'timestamp') throw usageError('--times timestamp is for Parquet; NDJSON knows int and iso');
  if (compression === 'snappy')
    throw usageError('--compression snappy is for Parquet; NDJSON knows zstd and gzip');
  if (rowGroup !== undefined) throw usageError('--row-group is for Parquet; NDJSON has no row groups');
  return { format, compression: compression ?? 'none', times: times ?? 'int', numbers };
}

const NDJSON_EXTENSIONS = {
  none: 'ndjson',
  gzip: 'ndjson.gz',
  zstd: 'ndjson.zst',
  snappy: 'ndjson',
} as const;

/** What an output's name ends in, without the first dot. */
export function outputExtension({ format, compression }: ConvertOptions): string {
  return format === 'parquet' ? 'parquet' : NDJSON_EXTENSIONS[compression];
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** Some 24 MB of numbers: what a batch of a wide schema may take, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;
/** NDJSON has no groups, and small batches stay in memory that the system has given already. */
const MAX_NDJSON_CELLS = 64 * 1024;

/** Rows a batch: a Parquet row group is one. */
export function chooseBatchRows({ format, rowGroup }: ConvertOptions, columns: number): number {
  if (format === 'ndjson') return Math.max(1024, Math.floor(MAX_NDJSON_CELLS / columns));
  return rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns)));
}
