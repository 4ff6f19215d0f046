import { abortReason } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { StoreSettings } from '../../store/files.js';
import type { CheckRequest, CheckResult, FileCheck } from '../file-check.js';
import type { CheckBatch } from './check-batches.js';
import { type CheckThread, startCheckThread } from './check-thread.js';

export interface CheckAllInput {
  readonly batches: Iterable<CheckBatch>;
  /** How many threads. */
  readonly jobs: number;
  /** Batches that each of them has at hand. */
  readonly batchesPerThread: number;
  /** Those that were started already. */
  readonly threads?: readonly CheckThread[] | undefined;
  /** How those that are started now reach an object store. */
  readonly store: StoreSettings;
  readonly createRequest: (check: FileCheck) => CheckRequest;
  readonly onStart: (check: FileCheck) => void;
  readonly onBytes: (check: FileCheck, count: number) => void;
  /** Told of all checks of a batch at once. */
  readonly onResults: (checks: readonly FileCheck[], sights: readonly CheckResult[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Looks at all files over worker threads. @throws the reason of an abort, and what is a bug. */
export async function checkAll(input: CheckAllInput): Promise<void> {
  const { jobs, batchesPerThread, signal } = input;
  const threads = createThreads(input);
  try {
    if (signal.aborted) throw abortReason(signal);
    const served = Array.from({ length: jobs * batchesPerThread }, (_, at) =>
      runBatches(() => threads.get(at % jobs), input),
    );
    await rejectOnAbort(Promise.all(served), signal);
  } finally {
    await threads.close();
  }
}

interface Threads {
  get(at: number): CheckThread;
  close(): Promise<void>;
}

/** Where nothing has to be read, no thread starts. */
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
  for (const { checks, results } of batches) {
    if (signal.aborted) return;
    if (results) {
      await new Promise((resolve) => setImmediate(resolve));
      await onResults(checks, results);
      continue;
    }
    // A batch of small files is done before anybody could look.
    if (checks.length === 1 && checks[0]) onStart(checks[0]);
    const read = await thread().inspect(checks.map(createRequest), (index, count) => {
      const check = checks[index];
      if (check) onBytes(check, count);
    });
    if (checks.length > 1)
      checks.forEach((check, index) => {
        const { observation } = read[index] ?? {};
        if (observation) onBytes(check, observation.bytes);
      });
    await onResults(checks, read);
  }
}
