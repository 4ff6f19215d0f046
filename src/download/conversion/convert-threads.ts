import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { TEXT_CHUNK_BYTES } from '../../integrity/gunzip.js';
import type { StoreSettings } from '../../store/files.js';
import type { ConversionJob, ConvertCommand, ConvertedOutput, ConvertResponse } from './convert-worker.js';

/** Chunks of text on the way to one conversion; what is left waits in the connection. */
const MAX_CHUNKS_AHEAD = 4;

/** One conversion in one of the threads. Calls must not overlap, but for `abort`, after which nothing is written. */
export interface ThreadConversion {
  /** Copies the text; resolves when more may come. @throws as `startConversion` tells, late perhaps. */
  write(text: Buffer): Promise<void>;
  /** Gives what was made, in the order of the job's outputs. */
  finish(source: { readonly bytes: number; readonly md5: string }): Promise<readonly ConvertedOutput[]>;
  /** To be called in any case, at the end: leaves no half output behind. */
  abort(): Promise<void>;
}

/**
 * Threads that convert while this one serves the network: parsing and encoding at once, many conversions in
 * each. A conversion lives where there are fewest, and goes on as its text arrives, so that slow transfers share
 * a thread and none waits for another's end.
 */
export interface ConvertThreads {
  start(job: ConversionJob): ThreadConversion;
  close(): Promise<void>;
}

/** @param settings how the threads reach object stores. */
export function createConvertThreads(count: number, settings: StoreSettings): ConvertThreads {
  const threads: ConvertThread[] = [];
  let nextId = 0;
  const leastBusy = (): ConvertThread => {
    const [quietest] = threads.toSorted((a, b) => a.conversions - b.conversions);
    if (quietest && (quietest.conversions === 0 || threads.length >= count)) return quietest;
    const thread = new ConvertThread(settings);
    threads.push(thread);
    return thread;
  };
  return {
    start: (job) => leastBusy().begin(nextId++, job),
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

interface PendingResponse {
  resolve(made: readonly ConvertedOutput[] | undefined): void;
  reject(error: unknown): void;
}

class ConvertThread {
  readonly #worker: Worker;
  /** Of each conversion, who waits for answers, in the order of the orders. */
  readonly #waiting = new Map<number, PendingResponse[]>();
  /** Memory for text that came back, to be used again: new memory costs more than the copy. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #ended: unknown;

  constructor(settings: StoreSettings) {
    this.#worker = new Worker(new URL('./convert-worker.js', import.meta.url), { workerData: settings });
    this.#worker.on('message', ({ id, made, text, error, bug }: ConvertResponse) => {
      if (text) this.#spare.push(text);
      const next = this.#waiting.get(id)?.shift();
      if (bug !== undefined) next?.reject(bug);
      else if (error) next?.reject(new TickhaulError(error.code, error.message));
      else next?.resolve(made);
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('a converting thread ended')));
  }

  get conversions(): number {
    return this.#waiting.size;
  }

  begin(id: number, job: ConversionJob): ThreadConversion {
    this.#waiting.set(id, []);
    const ahead: Promise<unknown>[] = [];
    const send = (
      order: ConvertCommand,
      transfer: ArrayBuffer[] = [],
    ): Promise<readonly ConvertedOutput[] | undefined> => {
      const answer = this.#send(order, transfer);
      // It is looked at when the next chunk comes, or at the end.
      answer.catch(() => {});
      return answer;
    };
    ahead.push(send({ id, order: 'begin', job }));
    let ended = false;
    return {
      write: async (text) => {
        while (ahead.length >= MAX_CHUNKS_AHEAD) await ahead.shift();
        if (ended) return;
        const copy = this.#roomFor(text.length);
        copy.set(text);
        ahead.push(send({ id, order: 'text', text: copy, length: text.length }, [copy.buffer]));
      },
      async finish(source) {
        const finished = send({ id, order: 'finish', source });
        await Promise.all(ahead);
        const made = await finished;
        if (!made) throw new Error(`${job.path}: finished twice, or after a failure`);
        return made;
      },
      abort: async () => {
        ended = true;
        await send({ id, order: 'abort' }).catch(() => {});
        this.#waiting.delete(id);
      },
    };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #roomFor(length: number): Uint8Array<ArrayBuffer> {
    const spare = this.#spare.pop();
    return spare && spare.length >= length ? spare : new Uint8Array(Math.max(length, TEXT_CHUNK_BYTES));
  }

  #send(order: ConvertCommand, transfer: ArrayBuffer[]): Promise<readonly ConvertedOutput[] | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#waiting.get(order.id)?.push({ resolve, reject });
      this.#worker.postMessage(order, transfer);
    });
  }

  #end(reason: unknown): void {
    this.#ended ??= reason;
    for (const waiting of this.#waiting.values()) {
      for (const { reject } of waiting.splice(0)) reject(this.#ended);
    }
  }
}
