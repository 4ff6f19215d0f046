import type { Schema } from '../batch.js';
import type { ConvertOptions } from '../convert-options.js';
import type { EncodedRowGroup } from '../parquet/row-group.js';

/** A batch as bytes of the output, encoded and compressed. NDJSON has no columns to tell of. */
export type EncodedBatch = EncodedRowGroup;

/** What a kernel is made for: rows of one file. Plain data, so a thread can be given it. */
export interface KernelJob {
  /** The file's path, for messages. */
  readonly source: string;
  readonly schema: Schema;
  readonly options: ConvertOptions;
}

/** Room for one piece of text, in bytes. */
export const PIECE_CAPACITY_BYTES = 2 * 1024 * 1024;

/**
 * Turns the text of one batch after the other into bytes of the output; synchronous, one a thread.
 *
 * A batch is whatever came between two calls of `finish`. It has `chooseBatchRows` rows at most (options.ts), and so many
 * bytes (limits.ts): where more come, it ends before them by itself. Who cuts the text at batches sees hardly ever
 * any of these.
 */
export interface BatchKernel {
  /** The path of the file that the next row is of, for messages: the job's, until it is set. */
  source: string;
  /** The line of the file that the next row begins in, for messages. It counts on by itself; the header is line 1. */
  line: number;
  /** Where the next piece of text is to be put: room for `PIECE_CAPACITY_BYTES` bytes, good until `appendIfRoom`. */
  getPieceBuffer(): Uint8Array;
  /**
   * Takes the first `length` bytes of `piece()`: whole rows without a quote; the LF of the last one may lack.
   * @returns batches that had to end early; their bytes stay.
   * @throws TickhaulError `createCorruptError`, naming line, column and cell; the kernel is of no use after that.
   */
  parse(length: number): readonly EncodedBatch[];
  /** Takes a row cell by cell, its quotes undone. Returns and throws as `appendIfRoom` does. */
  appendRow(cells: readonly Uint8Array[]): readonly EncodedBatch[];
  /**
   * Ends the batch; undefined where it has no row. Its bytes may lie in the kernel's shared memory, where they stay
   * until the batch after the next one begins: one may be written while the next is made.
   */
  finish(): EncodedBatch | undefined;
}
