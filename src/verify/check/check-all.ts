import { abortReason } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { StoreSettings } from '../../store/files.js';
import type { CheckRequest, CheckResult, FileCheck } from '../file-check.js';
import type { CheckBatch } from './check-batches.js';
import { type CheckThread, startCheckThread } from './check-thread.js';

export interface CheckAllInput {
  readonly batches: Iterable<CheckBatch>;
  /** Number of threads. */
  readonly jobs: number;
  /** Batches in progress per thread. */
  readonly batchesPerThread: number;
  /** Threads that are already started. */
  readonly threads?: readonly CheckThread[] | undefined;
  /** Settings with which new threads access an object store. */
  readonly store: StoreSettings;
  readonly createRequest: (check: FileCheck) => CheckRequest;
  readonly onStart: (check: FileCheck) => void;
  readonly onBytes: (check: FileCheck, count: number) => void;
  /** Called with all checks of a batch at once. */
  readonly onResults: (checks: readonly FileCheck[], results: readonly CheckResult[]) => Promise<void>;
  readonly signal: AbortSignal;
}
/** Checks all files in worker threads. @throws the reason of an abort, and unexpected errors. */

export async function checkAll(input: CheckAllInput): Promise<void> {
  const { jobs, batchesPerThread, signal } = input;
  const threads = createThreads(input);
  try {
    if (signal.aborted) throw abortReason(signal);
    const workers = Array.from({ length: jobs * batchesPerThread }, (_, at) =>
      runBatches(() => threads.get(at % jobs), input),
    );
    await rejectOnAbort(Promise.all(workers), signal);
  } finally {
    await threads.close();
  }
}

interface Threads {
  get(at: number): CheckThread;
  close(): Promise<void>;
}

/** Starts a thread on first use, so that no thread starts if nothing has to be read. */
function createThreads({ threads: early = [], store }: CheckAllInput): Threads {
  const started = new Map(early.entries());
  return {
    get(at) {
      const thread = started.get(at) ?? startCheckThread(store);
      started.set(at, thread);
      return thread;
    },
    async close() {
      await Promise.all([...started.values()].map((thread) => thread.close()));
    },
  };
}

async function runBatches(
  thread: () => CheckThread,
  { batches, createRequest, onStart, onBytes, onResults, signal }: CheckAllInput,
): Promise<void> {
  for (const { checks, results: knownResults } of batches) {
    if (signal.aborted) return;
    if (knownResults) {
      await new Promise((resolve) => setImmediate(resolve));
      await onResults(checks, knownResults);
      continue;
    }
    // A batch of small files is done before its start could be displayed.
    if (checks.length === 1 && checks[0]) onStart(checks[0]);
    const results = await thread().inspect(checks.map(createRequest), (index, count) => {
      const check = checks[index];
      if (check) onBytes(check, count);
    });
    if (checks.length > 1)
      checks.forEach((check, index) => {
        const { observation } = results[index] ?? {};
        if (observation) onBytes(check, observation.bytes);
      });
    await onResults(checks, results);
  }
}
