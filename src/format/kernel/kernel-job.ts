import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-options.js';

/**
 * An encoded and compressed batch. Plain data, which can be posted to a thread; a format may add fields for its writer.
 */
export interface EncodedBatch {
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** The rows of one file that a kernel encodes. Plain data, which can be posted to a thread. */
export interface KernelJob {
  /** The file's path, for messages. */
  readonly source: string;
  readonly schema: Schema;
  readonly options: OutputOptions;
}

/** Size of the buffer for one piece of text. */
export const PIECE_CAPACITY_BYTES = 2 * 1024 * 1024;

/**
 * Encodes the text of one batch after the other to bytes of the output; synchronous, one per thread.
 *
 * A batch consists of the rows between two calls of `finish`. The caller ends it in time (batch-limits.ts).
 */
export interface BatchKernel {
  /** Path of the file with the next row, for messages: that of the job, until it is set. */
  source: string;
  /** Line at which the next row begins, for messages. The kernel advances it; the header is line 1. */
  line: number;
  /** Buffer for the next piece of text, of `PIECE_CAPACITY_BYTES` bytes. Valid until `parse`. */
  getPieceBuffer(): Buffer;
  /**
   * Parses the first `length` bytes of the piece buffer: complete rows without quotes. The LF of the last row
   * may be missing.
   * @throws TickhaulError `corrupt`, with line, column and cell; the kernel must not be used after that.
   */
  parse(length: number): void;
  /** Appends a row of unquoted cells. Throws as `parse` does. */
  appendRow(cells: readonly Uint8Array[]): void;
  /**
   * Ends the batch; undefined if it has no rows. Its bytes may be in the kernel's shared memory, where they
   * stay valid until the batch after the next one begins. So one batch can be written while the next is
   * encoded.
   */
  finish(): EncodedBatch | undefined;
}
