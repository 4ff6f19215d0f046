import { type BatchKernel, createBatchKernel, type KernelJob } from '../../format/kernel/batch-kernel.js';
import { createDeferred } from './deferred.js';

/** A kernel's use for one batch. */
export interface KernelLease {
  readonly kernel: BatchKernel;
  /** The batch is finished, and another one may begin; the output stays until `written`. */
  release(): void;
  /** To be called once, after `endConversion`. */
  onWritten(): void;
  /** In place of both: the kernel is of no use any more. */
  discard(): void;
}

/** A kernel of this thread, as one conversion has it. */
export interface SharedKernelHandle {
  /**
   * Resolves when the kernel is free for one batch.
   * @throws TickhaulError `usage` where Node can't run it.
   */
  acquire(): Promise<KernelLease>;
  /** To be called once, when no more batches come. */
  release(): void;
}

/** One a schema, as each takes much memory: conversions use them in turns. */
const kernelCache = new Map<string, SharedKernel>();

/** The kernel for a job; that is there as soon as it is leased. */
export function acquireSharedKernel(job: KernelJob): SharedKernelHandle {
  const key = JSON.stringify([job.schema, job.options]);
  const kernel = kernelCache.get(key) ?? new SharedKernel(job);
  kernel.users++;
  // The one used last stands last.
  kernelCache.delete(key);
  evictIdleKernels();
  kernelCache.set(key, kernel);
  return {
    acquire: () => kernel.lease(),
    release: () => {
      kernel.users--;
    },
  };
}

/** Whoever has a kernel may go on with it. */
export function clearKernelCache(): void {
  kernelCache.clear();
}

/** Of the kernels that nobody uses, one stays besides the one that is wanted now: files of its kind may come. */
function evictIdleKernels(): void {
  const idle = [...kernelCache].filter(([, kernel]) => kernel.users === 0);
  for (const [key] of idle.slice(0, -1)) kernelCache.delete(key);
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

  async lease(): Promise<KernelLease> {
    const before = this.#free;
    const ended = createDeferred<void>();
    this.#free = ended.promise;
    await before;
    const [older, newer] = this.#outputs;
    await older;
    const used = createDeferred<void>();
    const discard = (): void => {
      this.#kernel = undefined;
      ended.resolve();
    };
    this.#kernel ??= createBatchKernel(this.#job);
    try {
      return {
        kernel: await this.#kernel,
        release: () => {
          this.#outputs = [newer, used.promise];
          ended.resolve();
        },
        onWritten: () => {
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
