import { judgeError, TickhaulError } from '../../base/errors.js';
import { keepThreads } from '../../base/thread-pool.js';
import { createDeferred } from '../../base/wait.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { TEXT_CHUNK_BYTES, type TextSink } from '../../gzip/gunzip.js';
import type { FileChecksums } from '../../gzip/verify-file.js';
import type { StoreSettings } from '../../store/files.js';
import type { PlannedFile } from '../download-options.js';
import type { ArrivalAudits } from './arrival-audits.js';
import type { ConversionOutcome, Conversions } from './conversions.js';
import type { TextJob, TextJobMessage, TextJobResult, TextTask } from './convert-worker.js';

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

/** What is done with the text of day files when they arrive; undefined for nothing. */
export interface ArrivalWork {
  readonly threads: ConvertThreads;
  readonly conversions: Conversions | undefined;
  readonly audits: ArrivalAudits | undefined;
}

/** The conversions and the audit of one day file, from the text that its verification decompresses. */
export interface DayFileWork {
  /**
   * Starts the work. Errors in the rows are reported by `finish`, since a corrupt source may have caused them; only errors
   * that affect every file are thrown earlier.
   */
  textSink(): TextSink;
  /** Call it after the source was verified. @returns undefined if the file has no outputs. */
  finish(proof: FileChecksums): Promise<ConversionOutcome | undefined>;
  /** Always call it when done; after `finish` it has no effect. */
  end(): Promise<void>;
}

/** @returns undefined if there is nothing to do with the text of this file. */
export function startArrivalWork(
  { threads, conversions, audits }: ArrivalWork,
  planned: PlannedFile,
): DayFileWork | undefined {
  const conversionTask = conversions?.start(planned);
  const auditTask = audits?.start(planned);
  if (!conversionTask && !auditTask) return undefined;
  let conversion: TaskRun<ConversionOutcome> | undefined;
  let audit: TaskRun<void> | undefined;
  return {
    textSink() {
      conversion = conversionTask && new TaskRun(conversionTask, threads);
      audit = auditTask && new TaskRun(auditTask, threads);
      return async (text) => {
        await Promise.all([conversion?.write(text), audit?.write(text)]);
      };
    },
    async finish(proof) {
      if (!conversion && !audit) throw new Error(`${planned.path}: no text was received`);
      const outcome = await conversion?.finish(proof);
      await audit?.finish(proof);
      return outcome;
    },
    async end() {
      await Promise.all([conversion?.end(), audit?.end()]);
    },
  };
}

class TaskRun<T> {
  readonly #task: TextTask<T>;
  readonly #jobs: readonly ThreadConversion[];
  #failure: TickhaulError | undefined;

  constructor(task: TextTask<T>, threads: ConvertThreads) {
    this.#task = task;
    this.#jobs = task.createJobs().map((job) => threads.start(job));
  }

  /** @throws errors that affect the whole run, such as a full disk, to stop the transfer. */
  async write(text: Buffer): Promise<void> {
    if (this.#failure) return;
    try {
      await Promise.all(this.#jobs.map((job) => job.write(text)));
    } catch (error) {
      if (!(error instanceof TickhaulError) || judgeError(error).affectsRun) throw error;
      this.#failure = error;
    }
  }

  async finish(proof: FileChecksums): Promise<T> {
    const results: TextJobResult[] = [];
    try {
      if (!this.#failure) for (const job of this.#jobs) results.push(await job.finish(proof));
    } catch (error) {
      // The source is complete, so even a full disk is a failure of this task alone.
      if (!(error instanceof TickhaulError)) throw error;
      this.#failure = error;
    }
    return this.#task.finish(results, this.#failure, proof);
  }

  async end(): Promise<void> {
    await Promise.all(this.#jobs.map((job) => job.abort()));
  }
}
