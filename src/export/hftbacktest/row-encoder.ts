import { availableParallelism } from 'node:os';
import { ThreadPool } from '../../base/thread-pool.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { type EncodedBlock, encodeBlock, type RowBlock } from './encode-block.js';
import { EventRows } from './event-rows.js';

/** One merge keeps no more threads busy; on two processors, the reader and the merge leave less than one. */
const MAX_THREADS = availableParallelism() > 2 ? 2 : 1;

/** Turns blocks into deflated rows, in threads or in the calling one. */
export interface RowEncoder {
  /** Blocks that keep it busy. */
  readonly maxBlocks: number;
  /** @param block does not change until the result is there. */
  encode(block: RowBlock): Promise<EncodedBlock>;
  close(): Promise<void>;
}

/** Starts the threads. */
export function createThreadEncoder(): RowEncoder {
  const pool = new ThreadPool<RowBlock, EncodedBlock>({
    maxThreads: MAX_THREADS,
    startThread: () =>
      new WorkerThread(new URL('./row-encoder-worker.js', import.meta.url), { name: 'row encoder' }),
  });
  pool.start(MAX_THREADS);
  return {
    maxBlocks: 4 * MAX_THREADS,
    encode: (block) => pool.run(block),
    close: () => pool.close(),
  };
}

export function createInlineEncoder(): RowEncoder {
  const rows = new EventRows();
  return { maxBlocks: 1, encode: async (block) => encodeBlock(rows, block), close: async () => {} };
}
