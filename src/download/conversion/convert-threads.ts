import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { TEXT_CHUNK_BYTES } from '../../integrity/gunzip.js';
import type { StoreSettings } from '../../store/files.js';
import type { ConversionJob, ConvertCommand, ConvertedOutput, ConvertResponse } from './convert-worker.js';

/** Chunks of text in flight to one conversion; the rest stays in the connection. */
const MAX_CHUNKS_AHEAD = 4;

/** A conversion in a thread. Calls must not overlap, except `abort`, after which nothing is written. */
export interface ThreadConversion {
  /**
   * Copies the text; resolves when more can be sent.
   * @throws like `startConversion`, possibly in a later call.
   */
  write(text: Buffer): Promise<void>;
  /** Returns the outputs, in the order of the job's outputs. */
  finish(source: { readonly bytes: number; readonly md5: string }): Promise<readonly ConvertedOutput[]>;
  /** Always call it in the end; removes partial outputs. */
  abort(): Promise<void>;
}

/**
 * Threads that convert while the main thread serves the network, with many conversions each. A conversion runs in the
 * thread with the fewest, at the pace of its text, so slow transfers share a thread and never block each other.
 */
export interface ConvertThreads {
  start(job: ConversionJob): ThreadConversion;
  close(): Promise<void>;
}

/** @param settings of object stores, for the threads. */
export function createConvertThreads(count: number, settings: StoreSettings): ConvertThreads {
  const threads: ConvertThread[] = [];
  let nextId = 0;
  const selectThread = (): ConvertThread => {
    const [leastBusy] = threads.toSorted((a, b) => a.conversions - b.conversions);
    if (leastBusy && (leastBusy.conversions === 0 || threads.length >= count)) return leastBusy;
    const thread = new ConvertThread(settings);
    threads.push(thread);
    return thread;
  };
  return {
    start: (job) => selectThread().startConversion(nextId++, job),
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface PendingResponse {
  resolve(outputs: readonly ConvertedOutput[] | undefined): void;
  reject(error: unknown): void;
}

class ConvertThread {
  readonly #worker: Worker;
  /** Pending responses of each conversion, in the order of its commands. */
  readonly #waiting = new Map<number, PendingResponse[]>();
  /** Returned text buffers for reuse: allocating costs more than copying. */
  readonly #spareBuffers: Uint8Array<ArrayBuffer>[] = [];
  #endReason: unknown;

  constructor(settings: StoreSettings) {
    this.#worker = new Worker(new URL('./convert-worker.js', import.meta.url), { workerData: settings });
    this.#worker.on('message', ({ id, outputs, text, error, bug }: ConvertResponse) => {
      if (text) this.#spareBuffers.push(text);
      const next = this.#waiting.get(id)?.shift();
      if (bug !== undefined) next?.reject(bug);
      else if (error) next?.reject(new TickhaulError(error.code, error.message));
      else next?.resolve(outputs);
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('a converting thread ended')));
  }

  get conversions(): number {
    return this.#waiting.size;
  }

  startConversion(id: number, job: ConversionJob): ThreadConversion {
    this.#waiting.set(id, []);
    const ahead: Promise<unknown>[] = [];
    const send = (
      order: ConvertCommand,
      transfer: ArrayBuffer[] = [],
    ): Promise<readonly ConvertedOutput[] | undefined> => {
      const response = this.#send(order, transfer);
      // The error is handled with the next chunk, or at the end.
      response.catch(() => {});
      return response;
    };
    ahead.push(send({ id, order: 'begin', job }));
    let isAborted = false;
    return {
      write: async (text) => {
        while (ahead.length >= MAX_CHUNKS_AHEAD) await ahead.shift();
        if (isAborted) return;
        const copy = this.#takeBuffer(text.length);
        copy.set(text);
        ahead.push(send({ id, order: 'text', text: copy, length: text.length }, [copy.buffer]));
      },
      async finish(source) {
        const finished = send({ id, order: 'finish', source });
        await Promise.all(ahead);
        const outputs = await finished;
        if (!outputs) throw new Error(`${job.path}: finished twice, or after a failure`);
        return outputs;
      },
      abort: async () => {
        isAborted = true;
        await send({ id, order: 'abort' }).catch(() => {});
        this.#waiting.delete(id);
      },
    };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #takeBuffer(length: number): Uint8Array<ArrayBuffer> {
    const spare = this.#spareBuffers.pop();
    return spare && spare.length >= length ? spare : new Uint8Array(Math.max(length, TEXT_CHUNK_BYTES));
  }

  #send(order: ConvertCommand, transfer: ArrayBuffer[]): Promise<readonly ConvertedOutput[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#endReason !== undefined) return reject(this.#endReason);
      this.#waiting.get(order.id)?.push({ resolve, reject });
      this.#worker.postMessage(order, transfer);
    });
  }

  #end(reason: unknown): void {
    this.#endReason ??= reason;
    for (const waiting of this.#waiting.values()) {
      for (const { reject } of waiting.splice(0)) reject(this.#endReason);
    }
  }
}
