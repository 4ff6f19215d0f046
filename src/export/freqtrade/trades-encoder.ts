import { WorkerThread } from '../../base/worker-thread.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import { encodeTrades, type TradeBatch } from './encode-trades.js';

/** Fewer trades are encoded before they would be in a thread. */
const MIN_ROWS_FOR_THREAD = 32_768;

/** Encodes trades of a job, in another thread or in the calling one. */
export class TradesEncoder {
  readonly #canStartThreads: boolean;
  #thread: WorkerThread<TradeBatch, EncodedRecordBatch> | undefined;

  constructor(canStartThreads: boolean) {
    this.#canStartThreads = canStartThreads;
  }

  /** @param trades may be reused when the call returns. */
  async encode(trades: TradeBatch): Promise<EncodedRecordBatch> {
    if (!this.#canStartThreads || trades.rows < MIN_ROWS_FOR_THREAD) return encodeTrades(trades);
    this.#thread ??= new WorkerThread(new URL('./encode-trades-worker.js', import.meta.url), {
      name: 'trades encoder',
    });
    const { rows, timestamps, prices, amounts, sides, idOffsets, ids } = trades;
    const copy = {
      rows,
      timestamps: timestamps.slice(),
      prices: prices.slice(),
      amounts: amounts.slice(),
      sides: sides.slice(),
      idOffsets: idOffsets.slice(),
      ids: ids.slice(),
    };
    const { rows: _, ...columns } = copy;
    return this.#thread.run(copy, { transfer: Object.values(columns).map(({ buffer }) => buffer) });
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}
