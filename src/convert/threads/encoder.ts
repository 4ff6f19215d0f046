import type { Batch, Schema } from '../../format/columns.js';
import type { ConvertOptions } from '../../format/options.js';
import type { EncodedRowGroup } from '../../format/parquet/row-group.js';

/** A batch as bytes of the output, encoded and compressed. NDJSON has no columns to tell of. */
export type Encoded = EncodedRowGroup;

/** Makes batches bytes; more than one may be under way where `parallel` says so. */
export interface Encoder {
  /** How many batches may be under way at once. */
  readonly parallel: number;
  /** The batch is of no use here after the call. The result is good until `parallel` more batches are given. */
  encode(batch: Batch): Promise<Encoded>;
}

/** Where an encoder is made, once the header has told the schema. */
export interface EncoderHost {
  open(schema: Schema, options: ConvertOptions): Promise<Encoder>;
  /** Ends what is under way; may be called again, and without `open`. */
  close(): Promise<void>;
}
