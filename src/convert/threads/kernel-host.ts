import { copyBytes } from '../../base/memory.js';
import { parseRecords } from '../../format/csv/quoted-records.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { Piece } from '../../format/kernel/piece-memory.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../../format/output-format.js';

/** Runs a kernel, in this thread or in another. */
export interface KernelHost {
  /** Resolves with a free piece of memory for text. @throws as `finishBatch` does. */
  acquirePiece(): Promise<Piece>;
  /**
   * Starts a batch with the next `parse`, and resolves when it is encoded. Errors in its rows reject only
   * this promise: TickhaulError `corrupt`, or any other error for a bug or the end of the thread. The bytes are valid
   * until `onWritten`.
   */
  finishBatch(): Promise<EncodedBatch>;
  /** Parses rows of the batch and takes the piece back. Resolves when the next rows may be passed. */
  parse(piece: Piece, rows: PieceRows): Promise<void>;
  /** Call it when the output of the next batch in order was written. */
  onWritten(): void;
  /** Stops: unfinished batches fail. May be called more than once. */
  close(): Promise<void>;
}

/** The kernels of one conversion. */
export interface KernelPool {
  /** Available before `open`, for the text that contains the header. */
  readonly first: KernelHost;
  /** Call it once, before the first `parse`. */
  open(job: KernelJob): void;
  /** The host of the next batch after the first one. */
  next(): KernelHost;
  close(): Promise<void>;
}

/**
 * Passes rows of a file to a kernel; rows with quotes are split by csv-parse.
 * @throws TickhaulError `corrupt`; the kernel must not be used after that.
 */
export function parseRows(
  kernel: BatchKernel,
  { source, schema }: KernelJob,
  text: Uint8Array,
  { line, quoted }: Pick<PieceRows, 'line' | 'quoted'>,
): void {
  kernel.source = source;
  kernel.line = line;
  if (!quoted) {
    copyBytes(text, kernel.getPieceBuffer(), 0);
    kernel.parse(text.length);
    return;
  }
  const names = schema.map(({ name }) => name);
  // Copy: parts of Node's API reject shared memory.
  for (const cells of parseRecords(Buffer.from(text), { source, line }, names)) kernel.appendRow(cells);
}
