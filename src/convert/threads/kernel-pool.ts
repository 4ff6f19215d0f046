import { availableParallelism } from 'node:os';
import type { KernelJob } from '../../format/kernel/batch-kernel.js';
import type { KernelPool } from './kernel-host.js';
import { startKernelThread } from './kernel-thread.js';
import { createLocalKernels } from './local-kernel.js';
import { MIN_BYTES_FOR_THREAD } from './min-bytes-for-thread.js';

/** One gunzip stream cannot keep more kernel threads busy. */
const MAX_KERNEL_THREADS = 4;
/** Share of its time that the reader must wait for kernels before a thread is added on a free processor. */
const WAIT_RATIO_TO_GROW = 0.1;
/**
 * The same if no processor is free: the thread then runs on the reader's processor while the reader waits.
 */
const WAIT_RATIO_TO_OVERSUBSCRIBE = 0.4;
/** Window over which the reader's wait ratio is measured. */
const SAMPLE_WINDOW_MS = 250;

/**
 * Creates the kernels for one source, which the calling thread reads. They run in threads if the source is
 * large enough and a processor is free, otherwise in the calling thread.
 * @param sourceBytes compressed size of the source.
 * @param spareProcessors processors that nothing else in this run uses.
 */
export function createKernels(sourceBytes: number, spareProcessors: number): KernelPool {
  const processors = Math.min(spareProcessors, availableParallelism() - 1);
  if (processors < 1 || sourceBytes < MIN_BYTES_FOR_THREAD) return createLocalKernels(false);
  return createKernelThreads(processors);
}

/**
 * Starts kernels in threads, and adds a thread whenever the reader spends too much time waiting for them.
 * @param processors processors besides the reader's; at least 1.
 */
export function createKernelThreads(processors: number, initialThreads = 1): KernelPool {
  const maxThreads = Math.max(initialThreads, Math.min(MAX_KERNEL_THREADS, processors + 1));
  const first = startKernelThread(onWait);
  const hosts = [first];
  let job: KernelJob | undefined;
  let windowStartMs = performance.now();
  let waitedMs = 0;
  let current = 0;

  function onWait(ms: number): void {
    waitedMs += ms;
    const elapsedMs = performance.now() - windowStartMs;
    if (elapsedMs < SAMPLE_WINDOW_MS) return;
    const minRatio = hosts.length < processors ? WAIT_RATIO_TO_GROW : WAIT_RATIO_TO_OVERSUBSCRIBE;
    if (hosts.length < maxThreads && waitedMs > minRatio * elapsedMs) addThread();
    windowStartMs += elapsedMs;
    waitedMs = 0;
  }
  function addThread(): void {
    const host = startKernelThread(onWait);
    hosts.push(host);
    if (job) host.open(job);
  }

  while (hosts.length < initialThreads) addThread();
  return {
    first,
    open(newJob) {
      job = newJob;
      windowStartMs = performance.now();
      for (const host of hosts) host.open(newJob);
    },
    next() {
      current = (current + 1) % hosts.length;
      return hosts[current] ?? first;
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}
