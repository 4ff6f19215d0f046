import type { TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { cleanUp } from './clean-up.js';

/** Collects the threads that this process starts during a test. */
export function startedThreads(t: TestContext): readonly Worker[] {
  const threads: Worker[] = [];
  const add = (thread: Worker): void => void threads.push(thread);
  process.on('worker', add);
  cleanUp(t, () => process.off('worker', add));
  return threads;
}
