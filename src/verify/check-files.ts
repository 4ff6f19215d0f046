import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { judgeError, TickhaulError } from '../base/errors.js';
import { Semaphore } from '../base/semaphore.js';
import { keepThreads, workInParallel } from '../base/thread-pool.js';
import { plural } from '../base/units.js';
import { onAbort, rejectOnAbort, yieldToEventLoop } from '../base/wait.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { FileEvent } from '../events/run-events.js';
import { chooseInflateThreads } from '../gzip/read-source.js';
import type { StoreSettings } from '../store/files.js';
import type { ManifestScope } from '../store/manifest/manifest.js';
import { SMALL_RUN_BYTES } from '../store/open-files.js';
import {
  type BadFile,
  type CheckedBytes,
  type CheckRequest,
  type CheckResult,
  createRecordChecks,
  type ExpectedFile,
  type FileCheck,
  type InspectFiles,
} from './file-checks.js';
import {
  compareWithListing,
  createRequestFactory,
  inspectBatch,
  inspectFileBytes,
  statExpected,
} from './inspect-file-bytes.js';
import { createResultReporter, type ReportResult } from './judge-file.js';
import type { Verification } from './verification.js';

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

  /** Aborted by the first error, of a check or of a record. */
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Each batch in flight adds a listener; without this, Node would warn about a leak.
  setMaxListeners(0, stopped);
  // Recording a file in a store takes some seconds, and its event follows the record. So checks continue meanwhile.
  const recording = new Semaphore(MAX_PENDING_RECORDS);
  const onResults = async (checks: readonly FileCheck[], results: readonly CheckResult[]): Promise<void> => {
    if (!input.adopt) return reportBatch(checks, results);
    const release = await recording.acquire();
    reportBatch(checks, results)
      .catch((error: unknown) => stop.abort(error))
      .finally(release);
  };

  const { maxFiles, batchesPerThread } = contents.listed ? STORE_BATCHES : FOLDER_BATCHES;
  const { jobs, destination } = input;
  const isHere = contents.listed === undefined && isSmall(verification);
  const inThreads: InspectFiles = (requests, options) =>
    checkThreads(destination.settings).run(requests, options, jobs);
  const inspectHere: InspectFiles = (requests, { onEvent }) =>
    inspectBatch(requests, destination.files, (bytes) => void onEvent?.(bytes), signal);
  const inspect = input.inspect ?? (isHere ? inspectHere : inThreads);
  const createRequest = createRequestFactory(destination, contents.listed, chooseInflateThreads(files));
  const onBytes = (check: FileCheck | undefined, received: number): void => {
    if (!check) return;
    const position = (positions.get(check) ?? 0) + received;
    positions.set(check, position);
    emit({ event: 'progress', path: check.path, received, position, total: check.expected?.bytes });
  };
  const batches = createCheckBatches(verification.checks(), maxFiles, createQuickCheck(verification));
  const checkBatch = async ({ checks, results: knownResults }: CheckBatch): Promise<void> => {
    if (knownResults) {
      await yieldToEventLoop();
      return onResults(checks, knownResults);
    }
    // A batch of small files is done before its start could be displayed.
    const [only] = checks.length === 1 ? checks : [];
    if (only) emit({ event: 'start', file: only.file, path: only.path });
    const onEvent = ([index, count]: CheckedBytes): void => onBytes(checks[index], count);
    const results = await inspect(checks.map(createRequest), { onEvent, signal: stopped });
    if (!only)
      for (const [index, { observation }] of results.entries())
        if (observation) onBytes(checks[index], observation.bytes);
    await onResults(checks, results);
  };
  const removeListener = onAbort(stopped, () => verification.manifest.flushSoon());
  try {
    const count = isHere ? 1 : Math.min(jobs, files) * batchesPerThread;
    const checking = workInParallel(batches, { count, signal: stopped, stop }, checkBatch);
    // Its first error is thrown below.
    await rejectOnAbort(
      checking.catch(() => {}),
      signal,
    );
  } finally {
    await recording.acquire(MAX_PENDING_RECORDS);
    removeListener();
  }
  stop.signal.throwIfAborted();
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

/** Checks that one thread runs one after the other. */
interface CheckBatch {
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
function* createCheckBatches(
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

/**
 * Checks files again that seem bad if another run changed their records since the manifest was read: the record then
 * describes other bytes, or no longer exists.
 * @returns a function that resolves to the events of the files whose records changed.
 */
function createRecheck(
  { input: { destination, quick, signal }, contents, manifest }: Verification,
  reportResult: ReportResult,
): (checks: readonly FileCheck[]) => Promise<ReadonlyMap<FileCheck, FileEvent>> {
  const createRequest = createRequestFactory(destination);

  const checkAgain = async (check: FileCheck, expected: ExpectedFile): Promise<CheckResult> => {
    const request = createRequest(check);
    if (!quick) return inspectFileBytes(request, () => {}, destination.files, signal);
    return contents.listed
      ? compareWithListing(expected, await destination.files.stat(request.location, signal))
      : statExpected(request);
  };

  return async (checks) => {
    const events = new Map<FileCheck, FileEvent>();
    const recorded = checks.filter(({ record }) => record !== undefined);
    if (recorded.length === 0) return events;
    const current = await manifest.reread(createManifestScope(recorded), signal);
    for (const check of recorded) {
      const record = current.get(check.record?.path ?? '');
      if (isDeepStrictEqual(record, check.record)) continue;
      const currentCheck =
        record && [...createRecordChecks(record)].find((candidate) => candidate.path === check.path);
      if (currentCheck?.expected)
        events.set(
          check,
          await reportResult(currentCheck, await checkAgain(currentCheck, currentCheck.expected)),
        );
      else events.set(check, { event: 'file', status: 'skipped', file: check.file, path: check.path });
    }
    return events;
  };
}

/** The part of a manifest that holds the records of these checks. */
function createManifestScope(checks: readonly FileCheck[]): ManifestScope {
  const files = checks.flatMap(({ record }) => record?.file ?? []);
  const days = files.map(({ day }) => day);
  return {
    exchanges: [...new Set(files.map(({ exchange }) => exchange))],
    dataTypes: [...new Set(files.map(({ dataType }) => dataType))],
    from: Math.min(...days),
    to: Math.max(...days) + 1,
  };
}
