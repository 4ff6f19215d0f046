import type { CheckResult, FileCheck } from '../file-check.js';

/** Checks that are done one after the other. */
export interface CheckBatch {
  readonly checks: readonly FileCheck[];
  /** What was seen of each, where nothing has to be read. */
  readonly results?: readonly CheckResult[] | undefined;
}

/** Bytes after which a batch is large enough that its messages cost nothing. */
const BATCH_BYTES = 1_000_000;
/** Checks of a batch that nobody reads: turns are for others between two of them. */
const MAX_RESULTS = 1024;

/**
 * Puts checks together. A generator may be shared by all that take from it.
 * @param most files to read of a batch.
 * @param sightOf what is seen of a file without reading it; undefined where it is to be read.
 */
export function* createCheckBatches(
  checks: Iterable<FileCheck>,
  most: number,
  sightOf: (check: FileCheck) => CheckResult | undefined,
): Generator<CheckBatch> {
  let unread: FileCheck[] = [];
  let bytes = 0;
  let seen: FileCheck[] = [];
  let sights: CheckResult[] = [];
  for (const check of checks) {
    const sight = sightOf(check);
    if (sight) {
      seen.push(check);
      sights.push(sight);
      if (seen.length < MAX_RESULTS) continue;
      yield { checks: seen, results: sights };
      [seen, sights] = [[], []];
      continue;
    }
    const size = check.expected?.bytes ?? BATCH_BYTES;
    if (unread.length > 0 && (bytes + size > BATCH_BYTES || unread.length >= most)) {
      yield { checks: unread };
      [unread, bytes] = [[], 0];
    }
    unread.push(check);
    bytes += size;
  }
  if (seen.length > 0) yield { checks: seen, results: sights };
  if (unread.length > 0) yield { checks: unread };
}
