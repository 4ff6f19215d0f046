import type { NUMBER_ENCODINGS, OutputFormatName, TIME_ENCODINGS } from '../base/output-format-names.js';
import type { Compression } from './compression/compressor.js';

/** Options of a conversion. Plain data, which can be posted to other threads. */
export interface OutputOptions {
  readonly format: OutputFormatName;
  readonly compression: Compression;
  /** Rows per row group; undefined for a default that depends on the schema. */
  readonly rowGroup?: number | undefined;
  readonly times: (typeof TIME_ENCODINGS)[number];
  readonly numbers: (typeof NUMBER_ENCODINGS)[number];
  /** Maximum text of a batch, in bytes; undefined for the default of the format. */
  readonly maxTextBytes?: number | undefined;
  /** Only PLAIN and dictionaries in Parquet; undefined for the smallest encoding of each column. */
  readonly encodings?: 'plain' | undefined;
}
