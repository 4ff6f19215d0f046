import { availableParallelism } from 'node:os';

/** Threads of one conversion besides the one that reads the source. */
export interface ThreadPlan {
  /** Threads that inflate, as in `GzipReadOptions`. */
  readonly inflateThreads: number | undefined;
  /** Processors for kernels; 0 if the reading thread runs the kernel. */
  readonly kernelProcessors: number;
  /** Kernel threads to start with, and their maximum. */
  readonly initialKernels: number;
  readonly maxKernels: number;
}

/** Compressed size from which a thread pays: smaller sources are converted before a thread has started. */
export const MIN_BYTES_FOR_THREAD = 4_000_000;
/** The same for several threads that inflate. */
const MIN_BYTES_TO_SHARE_INFLATING = 16_000_000;
/** Four threads inflate as much as the reader can take (docs/decisions/0130-inflate-kernel.md). */
const MAX_INFLATE_THREADS = 4;
/** Text of one zlib or inflate kernel cannot keep more kernels busy. */
const MAX_KERNELS_OF_ONE_STREAM = 4;
const MAX_KERNELS = 8;

/**
 * Shares processors between the steps of a conversion. On one or two processors, the reading thread inflates; with
 * more, a quarter of them inflates a large source, and up to half of them run kernels.
 * @param sourceBytes compressed size of the source.
 * @param spareProcessors processors that nothing else in this run uses.
 */
export function planThreads(
  sourceBytes: number,
  spareProcessors: number,
  available = availableParallelism(),
): ThreadPlan {
  const spare = Math.min(spareProcessors, available - 1);
  if (spare < 1 || sourceBytes < MIN_BYTES_FOR_THREAD) {
    return { inflateThreads: 0, kernelProcessors: 0, initialKernels: 0, maxKernels: 0 };
  }
  const maxKernels = Math.min(MAX_KERNELS_OF_ONE_STREAM, spare + 1);
  const oneStream = { kernelProcessors: spare, initialKernels: 1, maxKernels };
  if (spare < 2) return { ...oneStream, inflateThreads: 0 };
  if (sourceBytes < MIN_BYTES_TO_SHARE_INFLATING) return { ...oneStream, inflateThreads: undefined };
  const processors = spare + 1;
  const kernels = Math.min(MAX_KERNELS, Math.floor(processors / 2) + 1);
  return {
    inflateThreads: Math.max(1, Math.min(MAX_INFLATE_THREADS, Math.floor(processors / 4))),
    kernelProcessors: spare,
    initialKernels: kernels,
    maxKernels: kernels,
  };
}
