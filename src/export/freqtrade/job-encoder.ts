import { WorkerThread } from '../../base/worker-thread.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import { copyTrades, type TradeRows } from './trade-columns.js';
import { TradesEncoder } from './trades-encoder.js';

/** Fewer trades are encoded before they would be in a thread. */
const MIN_ROWS_FOR_THREAD = 32_768;

/** Encodes the trades of a job, one batch at a time: in another thread, while the calling one goes on, or in this one. */
export class JobEncoder {
  readonly #canStartThread: boolean;
  #thread: WorkerThread<TradeRows, EncodedRecordBatch> | undefined;
  #encoder: TradesEncoder | undefined;
  /** Resolves when the last batch is written. */
  #lastWrite = Promise.resolve();

  constructor(canStartThread: boolean) {
    this.#canStartThread = canStartThread;
  }

  /**
   * Encodes at least one trade.
   * @param trades may be reused when the call returns.
   * @param write called with the result when the batches before are written.
   * @throws errors of this or of an earlier `write`.
   */
  async encode(trades: TradeRows, write: (batch: EncodedRecordBatch) => Promise<void>): Promise<void> {
    await this.#lastWrite;
    if (!this.#canStartThread || trades.timestamps.length < MIN_ROWS_FOR_THREAD) {
      this.#encoder ??= new TradesEncoder();
      return write(this.#encoder.encode(trades));
    }
    this.#thread ??= new WorkerThread(new URL('./trades-encoder-worker.js', import.meta.url), {
      name: 'trades encoder',
    });
    const copy = copyTrades(trades);
    const transfer = Object.values(copy).map(({ buffer }) => buffer);
    this.#lastWrite = this.#thread.run(copy, { transfer }).then(write);
    // It is awaited later.
    this.#lastWrite.catch(() => {});
  }

  /** Resolves when all batches are written. @throws errors of `write`. */
  async flush(): Promise<void> {
    await this.#lastWrite;
  }

  /** Ends the thread, and with it a batch that it encodes. Resolves when nothing is written any more. */
  async close(): Promise<void> {
    await this.#thread?.close();
    await this.#lastWrite.catch(() => {});
  }
}
