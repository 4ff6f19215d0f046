import type { PlannedFile } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { FileEvent } from '../run/run-events.js';

/** A plan with these files before the others, after the two that show whether the key has access. */
export function moveFailedFirst(plan: DownloadPlan, failed: ReadonlySet<string>): DownloadPlan {
  return failed.size === 0 ? plan : { ...plan, files: () => yieldFailedFirst(plan, failed) };
}

function* yieldFailedFirst(plan: DownloadPlan, failed: ReadonlySet<string>): Generator<PlannedFile> {
  const probes = new Set<string>();
  for (const file of plan.files()) {
    if (probes.size === 2) break;
    probes.add(file.path);
    yield file;
  }
  for (const wanted of [true, false]) {
    for (const file of plan.files()) {
      if (failed.has(file.path) === wanted && !probes.has(file.path)) yield file;
    }
  }
}

/** Remembers which files of a job failed, now or before. */
export interface FailureMemory {
  readonly before: ReadonlySet<string>;
  record(event: FileEvent): void;
  /** For the next run; `isWhole` where this one came to all files. */
  listFailed(isWhole: boolean): readonly string[];
}

/** More would be a service that is down, and no reason to read them all again. */
const MAX_FAILED_FILES = 10_000;

export function createFailureMemory(before: readonly string[]): FailureMemory {
  const earlier = new Set(before);
  const now = new Set<string>();
  return {
    before: new Set(before),
    record({ status, path }) {
      if (earlier.size > 0) earlier.delete(path);
      if (status === 'failed') now.add(path);
    },
    listFailed: (isWhole) => [...now, ...(isWhole ? [] : earlier)].slice(0, MAX_FAILED_FILES),
  };
}
