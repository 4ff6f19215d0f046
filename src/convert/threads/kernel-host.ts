import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { EncodedBatch, KernelJob } from '../../format/kernel/batch-kernel.js';
import type { Piece } from '../../format/kernel/piece-memory.js';

/** Runs one kernel, in this thread or in another: rows in, batches out, in the same order. */
export interface KernelHost {
  /** To be called before the first `appendIfRoom`. */
  open(job: KernelJob): void;
  /** Resolves with a piece for text when one is free. @throws as batches do. */
  acquirePiece(): Promise<Piece>;
  /**
   * A batch that begins with the next `appendIfRoom`. What is wrong with its rows is told by it, and by nothing else: a
   * TickhaulError `createCorruptError`; any other error is a bug, or the end of the thread.
   *
   * The last part's bytes stay as they are until `written` is called, the others' for good.
   */
  finishBatch(): Promise<readonly EncodedBatch[]>;
  /** Takes rows of the batch; the piece is the host's again. Resolves when more may come. */
  parse(piece: Piece, rows: PieceRows): Promise<void>;
  /** See `RowTaker.settle`. @throws as batches do. */
  drain(): Promise<number>;
  /** The output of the next batch in order was used. */
  onWritten(): void;
  /** Ends what is under way: batches that aren't made yet fail. May be called again. */
  close(): Promise<void>;
}

/** The kernels of one conversion. */
export interface KernelPool {
  /** There from the start, for the text that the header is in. */
  readonly first: KernelHost;
  /** To be called once, before the first `appendIfRoom`. */
  open(job: KernelJob): void;
  /** Who makes the next batch, behind the first one. */
  next(): KernelHost;
  close(): Promise<void>;
}
