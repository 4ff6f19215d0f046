import type { WasmMemory } from '../../base/wasm.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { ChunkJob, DecodedChunk } from './decode-chunk.js';
import type { TokenThreadData } from './token-worker.js';

/** Decodes chunks, several at the same time. */
export interface ChunkDecoders {
  /** @param index number of the chunk in the file. */
  decode(index: number, job: ChunkJob): Promise<DecodedChunk | undefined>;
  close(): Promise<void>;
}

/** Starts a thread for each address of tables. */
export function startTokenThreads(memory: WasmMemory, tables: readonly number[]): ChunkDecoders {
  const threads = tables.map((address): WorkerThread<ChunkJob, DecodedChunk | undefined> => {
    const workerData: TokenThreadData = { memory, tables: address };
    return new WorkerThread(new URL('./token-worker.js', import.meta.url), { name: 'inflate', workerData });
  });
  return {
    async decode(index, job) {
      return threads[index % threads.length]?.run(job);
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
