import { abortReason } from '../../base/errors.js';
import type { RunJob } from '../../base/run-jobs.js';
import { rejectOnAbort, yieldToEventLoop } from '../../base/wait.js';
import type { CheckRequest, CheckResult, FileCheck } from '../file-check.js';
import type { CheckedBytes } from './check-worker.js';

/** Inspects files one after the other; calls may overlap. */
export type InspectFiles = RunJob<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>;

export interface CheckAllInput {
  readonly batches: Iterable<CheckBatch>;
  readonly inspect: InspectFiles;
  /** Batches in progress. */
  readonly concurrency: number;
  readonly createRequest: (check: FileCheck) => CheckRequest;
  readonly onStart: (check: FileCheck) => void;
  readonly onBytes: (check: FileCheck, count: number) => void;
  /** Called with all checks of a batch at once. */
  readonly onResults: (checks: readonly FileCheck[], results: readonly CheckResult[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Checks all files. @throws the reason of an abort, and unexpected errors. */
export async function checkAll(input: CheckAllInput): Promise<void> {
  const { concurrency, signal } = input;
  if (signal.aborted) throw abortReason(signal);
  const workers = Array.from({ length: concurrency }, () => runBatches(input));
  await rejectOnAbort(Promise.all(workers), signal);
}

async function runBatches({
  batches,
  inspect,
  createRequest,
  onStart,
  onBytes,
  onResults,
  signal,
}: CheckAllInput): Promise<void> {
  for (const { checks, results: knownResults } of batches) {
    if (signal.aborted) return;
    if (knownResults) {
      await yieldToEventLoop();
      await onResults(checks, knownResults);
      continue;
    }
    // A batch of small files is done before its start could be displayed.
    if (checks.length === 1 && checks[0]) onStart(checks[0]);
    const onEvent = ([index, count]: CheckedBytes): void => {
      const check = checks[index];
      if (check) onBytes(check, count);
    };
    const results = await inspect(checks.map(createRequest), { onEvent, signal });
    if (checks.length > 1)
      checks.forEach((check, index) => {
        const { observation } = results[index] ?? {};
        if (observation) onBytes(check, observation.bytes);
      });
    await onResults(checks, results);
  }
}

/** Checks that one thread runs one after the other. */
export interface CheckBatch {
  readonly checks: readonly FileCheck[];
  /** Results of the checks, if no file has to be read. */
  readonly results?: readonly CheckResult[] | undefined;
}

/** Batch size from which the cost of messages between threads is negligible. */
const BATCH_BYTES = 1_000_000;
/** Checks of a batch without reading. The event loop runs between two such batches. */
const MAX_RESULTS = 1024;

/**
 * Groups checks into batches. Several consumers may share the generator.
 * @param maxFiles maximum number of files in a batch to read.
 * @param checkWithoutReading checks a file without reading it; returns undefined if it has to be read.
 */
export function* createCheckBatches(
  checks: Iterable<FileCheck>,
  maxFiles: number,
  checkWithoutReading: (check: FileCheck) => CheckResult | undefined,
): Generator<CheckBatch> {
  let unread: FileCheck[] = [];
  let bytes = 0;
  let known: FileCheck[] = [];
  let results: CheckResult[] = [];
  for (const check of checks) {
    const result = checkWithoutReading(check);
    if (result) {
      known.push(check);
      results.push(result);
      if (known.length < MAX_RESULTS) continue;
      yield { checks: known, results };
      [known, results] = [[], []];
      continue;
    }
    const size = check.expected?.bytes ?? BATCH_BYTES;
    if (unread.length > 0 && (bytes + size > BATCH_BYTES || unread.length >= maxFiles)) {
      yield { checks: unread };
      [unread, bytes] = [[], 0];
    }
    unread.push(check);
    bytes += size;
  }
  if (known.length > 0) yield { checks: known, results };
  if (unread.length > 0) yield { checks: unread };
}
