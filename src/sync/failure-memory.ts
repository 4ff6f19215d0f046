import type { PlannedFile } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { FileEvent } from '../events/run-events.js';

/** A plan that yields these files first, after the two that show whether the key has access. */
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
  for (const isFailedPass of [true, false]) {
    for (const file of plan.files()) {
      if (failed.has(file.path) === isFailedPass && !probes.has(file.path)) yield file;
    }
  }
}

/** Collects the files of a job that failed in this run or a previous one. */
export interface FailureMemory {
  readonly previous: ReadonlySet<string>;
  record(event: FileEvent): void;
  /** Failed files for the next run; `isComplete` if this run processed all files. */
  listFailed(isComplete: boolean): readonly string[];
}
/** With more failures the service is down, and retrying them first has no benefit. */
const MAX_FAILED_FILES = 10_000;

export function createFailureMemory(previous: readonly string[]): FailureMemory {
  const unresolved = new Set(previous);
  const failedNow = new Set<string>();
  return {
    previous: new Set(previous),
    record({ status, path }) {
      if (unresolved.size > 0) unresolved.delete(path);
      if (status === 'failed') failedNow.add(path);
    },
    listFailed: (isComplete) => [...failedNow, ...(isComplete ? [] : unresolved)].slice(0, MAX_FAILED_FILES),
  };
}
