import { keepThreads } from '../../base/run-jobs.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { TEXT_CHUNK_BYTES } from '../../integrity/gunzip.js';
import type { StoreSettings } from '../../store/files.js';
import type { ConvertCommand, ConvertCommandResult, TextJob } from './convert-worker.js';

/** Chunks of text in flight to one conversion; the rest stays in the connection. */
const MAX_CHUNKS_AHEAD = 4;

/** A conversion or an audit in a thread. Calls must not overlap, except `abort`, after which nothing is written. */
export interface ThreadConversion {
  /**
   * Copies the text; resolves when more can be sent.
   * @throws like `startConversion`, possibly in a later call.
   */
  write(text: Buffer): Promise<void>;
  /** Returns the outputs, in the order of the job's outputs, or the results of the audit. */
  finish(source: { readonly bytes: number; readonly md5: string }): Promise<ConvertCommandResult>;
  /** Always call it when done; removes partial outputs. */
  abort(): Promise<void>;
}

/**
 * Threads that convert while the main thread serves the network, with many conversions each. A conversion runs in the
 * thread with the fewest, at the pace of its text, so slow transfers share a thread and never block each other.
 */
export interface ConvertThreads {
  start(job: TextJob): ThreadConversion;
}

const conversionThreads = keepThreads<StoreSettings, ConvertCommand, ConvertCommandResult>(
  (workerData) =>
    new WorkerThread(new URL('./convert-worker.js', import.meta.url), { name: 'conversion', workerData }),
);
/** The threads know a conversion by its number. */
let lastId = 0;

/** @param settings of object stores, for the threads. */
export function createConvertThreads(maxThreads: number, settings: StoreSettings): ConvertThreads {
  const pool = conversionThreads(settings);
  /** Returned text buffers for reuse: allocating costs more than copying. */
  const spareBuffers: Uint8Array<ArrayBuffer>[] = [];
  const takeBuffer = (length: number): Uint8Array<ArrayBuffer> => {
    const spare = spareBuffers.pop();
    return spare && spare.length >= length ? spare : new Uint8Array(Math.max(length, TEXT_CHUNK_BYTES));
  };
  return {
    start(job) {
      const id = ++lastId;
      const { thread, release } = pool.lease(maxThreads);
      const send = (command: ConvertCommand, transfer?: ArrayBuffer[]): Promise<ConvertCommandResult> => {
        const result = thread.run(command, { transfer }).then((received) => {
          if (received.text) spareBuffers.push(received.text);
          return received;
        });
        // The error is handled with the next chunk, or at the end.
        result.catch(() => {});
        return result;
      };
      const ahead: Promise<unknown>[] = [send({ id, order: 'begin', job })];
      let isAborted = false;
      return {
        async write(text) {
          while (ahead.length >= MAX_CHUNKS_AHEAD) await ahead.shift();
          if (isAborted) return;
          const copy = takeBuffer(text.length);
          copy.set(text);
          ahead.push(send({ id, order: 'text', text: copy, length: text.length }, [copy.buffer]));
        },
        async finish(source) {
          const finished = send({ id, order: 'finish', source });
          await Promise.all(ahead);
          const result = await finished;
          if (!result.outputs && !result.audited) throw new Error('finished twice, or after a failure');
          return result;
        },
        async abort() {
          isAborted = true;
          await send({ id, order: 'abort' }).catch(() => {});
          release();
        },
      };
    },
  };
}
