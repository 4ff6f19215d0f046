import { type BatchKernel, createBatchKernel, type KernelJob } from '../../format/kernel/batch-kernel.js';
import { deferred } from './deferred.js';

/** A kernel's use for one batch. */
export interface Lease {
  readonly kernel: BatchKernel;
  /** The batch is finished, and another one may begin; the output stays until `written`. */
  end(): void;
  /** To be called once, after `end`. */
  written(): void;
  /** In place of both: the kernel is of no use any more. */
  discard(): void;
}

/** A kernel of this thread, as one conversion has it. */
export interface KernelUse {
  /**
   * Resolves when the kernel is free for one batch.
   * @throws TickhaulError `usage` where Node can't run it.
   */
  lease(): Promise<Lease>;
  /** To be called once, when no more batches come. */
  end(): void;
}

/** One a schema, as each takes much memory: conversions use them in turns. */
const shelf = new Map<string, SharedKernel>();

/** The kernel for a job; that is there as soon as it is leased. */
export function useKernel(job: KernelJob): KernelUse {
  const key = JSON.stringify([job.schema, job.options]);
  const kernel = shelf.get(key) ?? new SharedKernel(job);
  kernel.users++;
  // The one used last stands last.
  shelf.delete(key);
  forgetIdle();
  shelf.set(key, kernel);
  return {
    lease: () => kernel.lease(),
    end: () => {
      kernel.users--;
    },
  };
}

/** Whoever has a kernel may go on with it. */
export function emptyShelf(): void {
  shelf.clear();
}

/** Of the kernels that nobody uses, one stays besides the one that is wanted now: files of its kind may come. */
function forgetIdle(): void {
  const idle = [...shelf].filter(([, kernel]) => kernel.users === 0);
  for (const [key] of idle.slice(0, -1)) shelf.delete(key);
}

class SharedKernel {
  /** Conversions that have it. */
  users = 0;
  readonly #job: KernelJob;
  #kernel: Promise<BatchKernel> | undefined;
  /** Resolves when the batch before is finished. */
  #free: Promise<unknown> = Promise.resolve();
  /** When the outputs of the last two batches are used: a batch's goes where that of the last but one was. */
  #outputs: readonly [Promise<unknown>, Promise<unknown>] = [this.#free, this.#free];

  constructor(job: KernelJob) {
    this.#job = job;
  }

  async lease(): Promise<Lease> {
    const before = this.#free;
    const ended = deferred<void>();
    this.#free = ended.promise;
    await before;
    const [older, newer] = this.#outputs;
    await older;
    const used = deferred<void>();
    const discard = (): void => {
      this.#kernel = undefined;
      ended.resolve();
    };
    this.#kernel ??= createBatchKernel(this.#job);
    try {
      return {
        kernel: await this.#kernel,
        end: () => {
          this.#outputs = [newer, used.promise];
          ended.resolve();
        },
        written: () => {
          used.resolve();
        },
        discard,
      };
    } catch (error) {
      discard();
      throw error;
    }
  }
}
