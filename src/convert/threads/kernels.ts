import { availableParallelism } from 'node:os';
import type { KernelHost, Kernels } from './kernel-host.js';
import { startKernelThread } from './kernel-thread.js';
import { localKernels } from './local-kernel.js';
import { WORTH_A_THREAD } from './worth-a-thread.js';

/** What gunzips one file feeds no more kernels than these. */
const MOST_THREADS = 4;
/** Of more columns, the kernel has so much more to do than what feeds it that one more thread pays. */
const MANY_COLUMNS = 32;

/**
 * The kernels for a source of so many compressed bytes, which this thread reads.
 * @param spare processors that nothing else of this run uses.
 */
export function kernelsFor(bytes: number, spare: number): Kernels {
  const threads = Math.min(spare, availableParallelism() - 1, MOST_THREADS);
  return threads > 0 && bytes >= WORTH_A_THREAD ? threadKernels(threads) : localKernels(false);
}

/** @param threads how many threads, at least 1; one more for many columns. */
export function threadKernels(threads: number): Kernels {
  const hosts: [KernelHost, ...KernelHost[]] = [startKernelThread()];
  return {
    first: hosts[0],
    open(job) {
      const count = Math.min(MOST_THREADS, threads + (job.schema.length > MANY_COLUMNS ? 1 : 0));
      while (hosts.length < count) hosts.push(startKernelThread());
      for (const host of hosts) host.open(job);
      return hosts;
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}
