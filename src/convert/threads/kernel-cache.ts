import { Semaphore } from '../../base/semaphore.js';
import { createDeferred } from '../../base/wait.js';
import { type BatchKernel, createBatchKernel, type KernelJob } from '../../format/kernel/batch-kernel.js';
import type { ColumnMemory } from '../../format/kernel/column-memory.js';

/** Exclusive use of a kernel for one batch. */
export interface KernelLease {
  readonly kernel: BatchKernel;
  /** Ends the batch, so that the next one may begin. The output stays valid until `onWritten`. */
  release(): void;
  /** Call it once, after `release`. */
  onWritten(): void;
  /** Replaces `release` and `onWritten` after an error; the kernel is dropped. */
  discard(): void;
}

/** A conversion's handle on a kernel of this thread. */
export interface SharedKernelHandle {
  /**
   * Resolves when the kernel is free for one batch.
   * @throws TickhaulError `usage` where Node can't run it.
   */
  acquire(): Promise<KernelLease>;
  /** Call it once, after the last batch. */
  release(): void;
}

/** Kernels by schema and options. A kernel takes much memory, so conversions share it in turns. */
const kernelCache = new Map<string, SharedKernel>();
/** Maximum number of kernels that were in use at the same time. */
let maxUsed = 0;

/**
 * Memory in which this thread reads the sources of computed types, in turns (`ReaderOptions.memories`). Allocating it
 * takes longer than converting a small file.
 */
export const columnMemories = new Map<string, ColumnMemory>();

/** Returns the kernel for a job. It is created with the first lease. */
export function acquireSharedKernel(job: KernelJob): SharedKernelHandle {
  const key = JSON.stringify([job.schema, job.options]);
  const kernel = kernelCache.get(key) ?? new SharedKernel(job);
  kernel.users++;
  // Keep the map in order of use, the most recent last.
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

/** Drops the cached kernels and memory; those in use stay valid. */
export function clearKernelCache(): void {
  kernelCache.clear();
  columnMemories.clear();
  maxUsed = 0;
}

/** Keeps the most recently used of the idle kernels, for further files: as many as one file used. */
function evictIdleKernels(): void {
  const idle = [...kernelCache].filter(([, kernel]) => kernel.users === 0);
  maxUsed = Math.max(maxUsed, kernelCache.size - idle.length);
  for (const [key] of idle.slice(0, -Math.max(1, maxUsed))) kernelCache.delete(key);
}

class SharedKernel {
  /** Number of conversions with a handle. */
  users = 0;
  readonly #job: KernelJob;
  #kernel: Promise<BatchKernel> | undefined;
  /** One batch at a time. */
  readonly #batch = new Semaphore(1);
  /** Resolve when the last two outputs are written. A kernel has two output buffers, used in turns. */
  #outputs: readonly (Promise<void> | undefined)[] = [];

  constructor(job: KernelJob) {
    this.#job = job;
  }

  async lease(): Promise<KernelLease> {
    const endBatch = await this.#batch.acquire();
    const [olderOutput, newerOutput] = this.#outputs;
    await olderOutput;
    const outputWritten = createDeferred<void>();
    const discard = (): void => {
      this.#kernel = undefined;
      endBatch();
    };
    this.#kernel ??= createBatchKernel(this.#job);
    try {
      return {
        kernel: await this.#kernel,
        release: () => {
          this.#outputs = [newerOutput, outputWritten.promise];
          endBatch();
        },
        onWritten: () => {
          outputWritten.resolve();
        },
        discard,
      };
    } catch (error) {
      discard();
      throw error;
    }
  }
}
