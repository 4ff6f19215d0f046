import { availableParallelism } from 'node:os';
import type { KernelJob } from '../../format/kernel/batch-kernel.js';
import type { KernelPool } from './kernel-host.js';
import { startKernelThread } from './kernel-thread.js';
import { createLocalKernels } from './local-kernel.js';
import { MIN_BYTES_FOR_THREAD } from './min-bytes-for-thread.js';

/** What gunzips one file feeds no more kernels than these. */
const MAX_KERNEL_THREADS = 4;
/**
 * The share of its time that a reader has to wait for its kernels before there is one more: where a processor is free,
 * and where one more kernel takes from what the reader waits with.
 */
const WAIT_RATIO_TO_GROW = 0.1;
const WAIT_RATIO_TO_OVERSUBSCRIBE = 0.4;
/** Of so many milliseconds. */
const SAMPLE_WINDOW_MS = 250;

/**
 * The kernels for a source of so many compressed bytes, which this thread reads.
 * @param spare processors that nothing else of this run uses.
 */
export function createKernels(bytes: number, spare: number): KernelPool {
  const processors = Math.min(spare, availableParallelism() - 1);
  if (processors < 1 || bytes < MIN_BYTES_FOR_THREAD) return createLocalKernels(false);
  return createKernelThreads(processors);
}

/**
 * Kernels in threads: one, and another whenever the reader has waited much for those that are there.
 * @param processors besides the reader's, at least 1. @param atFirst how many threads there are from the start.
 */
export function createKernelThreads(processors: number, atFirst = 1): KernelPool {
  const most = Math.max(atFirst, Math.min(MAX_KERNEL_THREADS, processors + 1));
  const first = startKernelThread(onWait);
  const hosts = [first];
  let job: KernelJob | undefined;
  let since = performance.now();
  let waited = 0;
  let last = 0;

  function onWait(milliseconds: number): void {
    waited += milliseconds;
    const passed = performance.now() - since;
    if (passed < SAMPLE_WINDOW_MS) return;
    const enough = hosts.length < processors ? WAIT_RATIO_TO_GROW : WAIT_RATIO_TO_OVERSUBSCRIBE;
    if (hosts.length < most && waited > enough * passed) add();
    since += passed;
    waited = 0;
  }
  function add(): void {
    const host = startKernelThread(onWait);
    hosts.push(host);
    if (job) host.open(job);
  }

  while (hosts.length < atFirst) add();
  return {
    first,
    open(opened) {
      job = opened;
      since = performance.now();
      for (const host of hosts) host.open(opened);
    },
    next() {
      last = (last + 1) % hosts.length;
      return hosts[last] ?? first;
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}
