import { availableParallelism } from 'node:os';

/**
 * How a thread inflates while others of the same run work, as in `GzipReadOptions`: itself if they use all
 * processors, otherwise with zlib's threads, which use the others.
 * @param busyThreads threads that work, this one included.
 */
export function chooseInflateThreads(busyThreads: number): 0 | undefined {
  return busyThreads >= availableParallelism() ? 0 : undefined;
}
