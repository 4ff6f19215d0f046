import { keepThreads } from '../../base/run-jobs.js';
import { createDeferred } from '../../base/wait.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { TEXT_CHUNK_BYTES } from '../../gzip/gunzip.js';
import type { StoreSettings } from '../../store/files.js';
import type { TextJob, TextJobMessage, TextJobResult } from './convert-worker.js';

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
  finish(source: { readonly bytes: number; readonly md5: string }): Promise<TextJobResult>;
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

const conversionThreads = keepThreads<
  StoreSettings,
  TextJob,
  TextJobResult,
  Uint8Array<ArrayBuffer>,
  TextJobMessage
>(
  (workerData) =>
    new WorkerThread(new URL('./convert-worker.js', import.meta.url), { name: 'conversion', workerData }),
);

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
      const { thread, release } = pool.lease(maxThreads);
      const stop = new AbortController();
      let ahead = 0;
      let returned = createDeferred<void>();
      let failure: { readonly error: unknown } | undefined;
      const continueWriting = (): void => {
        returned.resolve();
        returned = createDeferred();
      };
      const { post, result } = thread.open(job, {
        signal: stop.signal,
        onEvent(text) {
          spareBuffers.push(text);
          ahead--;
          continueWriting();
        },
      });
      // The error is thrown by a later call.
      result.catch((error: unknown) => {
        failure = { error };
        continueWriting();
      });
      return {
        async write(text) {
          while (ahead >= MAX_CHUNKS_AHEAD && !failure && !stop.signal.aborted) await returned.promise;
          if (stop.signal.aborted) return;
          if (failure) throw failure.error;
          const copy = takeBuffer(text.length);
          copy.set(text);
          ahead++;
          post({ text: copy, length: text.length }, [copy.buffer]);
        },
        finish(source) {
          post({ source });
          return result;
        },
        async abort() {
          stop.abort();
          continueWriting();
          await result.catch(() => {});
          release();
        },
      };
    },
  };
}
