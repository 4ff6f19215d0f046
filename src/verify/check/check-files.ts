import { TickhaulError } from '../../base/errors.js';
import { judgeError } from '../../base/judge-error.js';
import { keepThreads } from '../../base/run-jobs.js';
import { plural } from '../../base/units.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { chooseInflateThreads } from '../../integrity/choose-inflate-threads.js';
import type { FileEvent } from '../../run/run-events.js';
import type { StoreSettings } from '../../store/files.js';
import { SMALL_RUN_BYTES } from '../../store/stat-source.js';
import { createRecheck } from '../amend/recheck.js';
import { createResultReporter } from '../amend/report-result.js';
import type { BadFile, CheckRequest, CheckResult, FileCheck } from '../file-check.js';
import type { Verification } from '../verification.js';
import { checkAll, createCheckBatches, type InspectFiles } from './check-all.js';
import type { CheckedBytes } from './check-worker.js';
import { compareWithListing } from './find-file-error.js';
import { createRequestFactory, inspectBatch, statExpected } from './inspect-file-bytes.js';

const checkThreads = keepThreads<
  StoreSettings,
  readonly CheckRequest[],
  readonly CheckResult[],
  CheckedBytes
>(
  (workerData) =>
    new WorkerThread(new URL('./check-worker.js', import.meta.url), { name: 'check', workerData }),
);

/** On a disk, a thread reads one batch while it gunzips another. */
const FOLDER_BATCHES = { maxFiles: 64, batchesPerThread: 2 };
/** In a store, each object is a request that mostly waits. */
const STORE_BATCHES = { maxFiles: 1, batchesPerThread: 8 };
/** Enough records that a store writes many of them together. */
const MAX_PENDING_RECORDS = 512;

/**
 * Checks every file and emits its event, except for files that are to be repaired or forgotten.
 * @returns the files to repair or forget.
 * @throws TickhaulError the reason of an abort; `disk` if a record cannot be written.
 */
export async function checkFiles(
  verification: Verification,
  emitFile: (event: FileEvent) => void,
): Promise<readonly BadFile[]> {
  const { input, files, contents } = verification;
  const { quick, emit, signal } = input;
  const reportResult = createResultReporter(verification);
  const recheck = createRecheck(verification, reportResult);
  const bad: BadFile[] = [];
  const missingExports: FileEvent[] = [];
  const badExports: FileEvent[] = [];
  const handleResult = (check: FileCheck, event: FileEvent): void => {
    const { record, path } = check;
    const needsAction = input.repair ? isBad(event) : input.forget && event.status === 'missing';
    if (needsAction && record) {
      bad.push({
        record,
        event,
        conversion: record.conversions?.find((conversion) => conversion.path === path),
      });
    } else if (check.kind === 'export' && input.forget && event.status === 'missing') {
      missingExports.push(event);
    } else if (event.repairedBy === 'export' && input.repair) badExports.push(event);
    else emitFile(event);
  };

  let recordsWithoutEtag = 0;
  const positions = new Map<FileCheck, number>();
  const reportBatch = async (
    checks: readonly FileCheck[],
    results: readonly CheckResult[],
  ): Promise<void> => {
    if (contents.listed) throwStoreError(results);
    const events: FileEvent[] = [];
    for (const [index, check] of checks.entries()) {
      positions.delete(check);
      events.push(await reportResult(check, getResult(results, index, check)));
      if (quick && contents.listed && check.expected && !check.expected.object) recordsWithoutEtag++;
    }
    const badChecks = checks.filter((_, index) => isBad(events[index]));
    const rechecked = badChecks.length === 0 ? undefined : await recheck(badChecks);
    for (const [index, event] of events.entries()) {
      const check = checks[index] as FileCheck;
      handleResult(check, rechecked?.get(check) ?? event);
    }
  };

  const inflateThreads = chooseInflateThreads(files);
  const { maxFiles, batchesPerThread } = contents.listed ? STORE_BATCHES : FOLDER_BATCHES;
  const { jobs, destination } = input;
  const isHere = contents.listed === undefined && isSmall(verification);
  const inThreads: InspectFiles = (requests, options) =>
    checkThreads(destination.settings).run(requests, options, jobs);
  const inspectHere: InspectFiles = (requests, { onEvent }) =>
    inspectBatch(requests, destination.files, (bytes) => void onEvent?.(bytes), signal);
  const inspect = input.inspect ?? (isHere ? inspectHere : inThreads);
  // Recording a file in a store takes some seconds, and its event follows the record. So checks continue meanwhile.
  const backlog = createTaskBacklog(input.adopt ? MAX_PENDING_RECORDS : 0);
  await checkAll({
    batches: createCheckBatches(verification.checks(), maxFiles, createQuickCheck(verification)),
    concurrency: isHere ? 1 : Math.min(input.jobs, files) * batchesPerThread,
    inspect,
    createRequest: createRequestFactory(input.destination, contents.listed, inflateThreads),
    onStart: ({ file, path }) => emit({ event: 'start', file, path }),
    onBytes: (check, received) => {
      const position = (positions.get(check) ?? 0) + received;
      positions.set(check, position);
      emit({ event: 'progress', path: check.path, received, position, total: check.expected?.bytes });
    },
    onResults: (checks, results) => backlog.add(reportBatch(checks, results)),
    signal,
  })
    .catch((error: unknown) => {
      verification.manifest.flushSoon();
      throw error;
    })
    .finally(backlog.drain);
  if (recordsWithoutEtag > 0) {
    const message = `${plural(recordsWithoutEtag, 'record')} without an ETag: only presence and size of their objects were compared; tickhaul verify --adopt reads the objects and records their ETags`;
    emit({ event: 'warning', message });
  }
  for (const event of missingExports) {
    await verification.exportLog.forget(event.path, signal);
    emitFile({ ...event, status: 'forgotten', error: undefined });
  }
  for (const event of badExports) {
    await verification.exportLog.redo(event.path, signal);
    emitFile({ ...event, repairedBy: undefined });
  }
  if (badExports.length > 0)
    emit({ event: 'note', message: `the next export writes ${plural(badExports.length, 'bad file')} again` });
  await verification.exportLog.write(signal);
  return bad;
}

/** Whether reading all files takes less time than to start a thread. */
function isSmall(verification: Verification): boolean {
  let bytes = 0;
  for (const { expected } of verification.checks()) {
    bytes += expected?.bytes ?? SMALL_RUN_BYTES;
    if (bytes >= SMALL_RUN_BYTES) return false;
  }
  return true;
}

function isBad(event: FileEvent | undefined): boolean {
  return event?.status === 'corrupt' || event?.status === 'missing';
}

/** An unreadable store ends the run and is not a fault of an object. @throws TickhaulError. */
function throwStoreError(results: readonly CheckResult[]): void {
  for (const { error } of results)
    if (error && judgeError(error).affectsRun) throw new TickhaulError(error.code, error.message);
}

function getResult(results: readonly CheckResult[], index: number, { path }: FileCheck): CheckResult {
  const result = results[index];
  if (!result) throw new Error(`${path}: the check thread returned no result`);
  return result;
}

/** Checks a file by a store's listing or a stat, without reading it; undefined if the file has to be read. */
function createQuickCheck({
  input: { quick, destination },
  contents: { listed },
}: Verification): (check: FileCheck) => CheckResult | undefined {
  const createRequest = createRequestFactory(destination, listed);
  return (check) => {
    if (!check.expected) return undefined;
    if (!listed) return quick ? statExpected(createRequest(check)) : undefined;
    const result = compareWithListing(check.expected, listed.get(check.path));
    // An object with another ETag may still have the same bytes.
    return quick || (result.error && result.error.code !== 'changed') ? result : undefined;
  };
}

/** Tasks that are awaited later, so that the caller can continue meanwhile. */
interface TaskBacklog {
  /** Adds a running task, and resolves when there is room for another. @throws the first error of any task. */
  add(task: Promise<void>): Promise<void>;
  /** Resolves when all tasks have ended. @throws the first error of any task. */
  drain(): Promise<void>;
}

/** @param maxPending number of tasks that may run while the caller continues. */
function createTaskBacklog(maxPending: number): TaskBacklog {
  const pending = new Set<Promise<void>>();
  let failures: readonly unknown[] = [];
  const throwFirstFailure = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    async add(task) {
      const running = task
        .catch((error: unknown) => {
          failures = [...failures, error];
        })
        .finally(() => pending.delete(running));
      pending.add(running);
      while (pending.size > maxPending) await Promise.race(pending);
      throwFirstFailure();
    },
    async drain() {
      await Promise.all(pending);
      throwFirstFailure();
    },
  };
}
