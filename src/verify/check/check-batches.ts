import type { CheckResult, FileCheck } from '../file-check.js';

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
