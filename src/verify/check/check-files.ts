import { ERROR_TABLE, TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { FileEvent } from '../../run/run-events.js';
import { createRecheck } from '../amend/recheck.js';
import { createResultReporter } from '../amend/report-result.js';
import type { BadFile, CheckResult, FileCheck } from '../file-check.js';
import type { Verification } from '../verification.js';
import { checkAll } from './check-all.js';
import { createCheckBatches } from './check-batches.js';
import { createRequestFactory } from './check-requests.js';
import { compareWithListing } from './compare-with-listing.js';
import { statExpected } from './inspect-file-bytes.js';
import { createTaskBacklog } from './task-backlog.js';

/** Files of a batch, and batches that a thread has at hand: on a disk it reads one while it gunzips another. */
const FOLDER_BATCHES = { most: 64, batchesAThread: 2 };
/** Each object is a request of its own, most of which is waiting. */
const STORE_BATCHES = { most: 1, batchesAThread: 8 };

/** Enough that they are written together. */
const MAX_PENDING_RECORDS = 512;

/**
 * Checks every file and tells of each what it is, but for those that are to be repaired or forgotten.
 * @returns them.
 * @throws TickhaulError the reason of an abort; `disk` where a record can't be written.
 */
export async function checkFiles(
  verification: Verification,
  tell: (event: FileEvent) => void,
): Promise<readonly BadFile[]> {
  const { input, files, contents } = verification;
  const { quick, emit, signal } = input;
  const settle = createResultReporter(verification);
  const lookAgain = createRecheck(verification, settle);
  const bad: BadFile[] = [];
  const take = (check: FileCheck, event: FileEvent): void => {
    const { record, path } = check;
    const isTaken = input.repair ? isBad(event) : input.forget && event.status === 'missing';
    if (isTaken && record) {
      bad.push({ record, event, conversion: record.conversions?.find((made) => made.path === path) });
    } else tell(event);
  };

  let unnamed = 0;
  const position = new Map<FileCheck, number>();
  const tellAll = async (checks: readonly FileCheck[], sights: readonly CheckResult[]): Promise<void> => {
    if (contents.listed) throwStoreError(sights);
    const told: FileEvent[] = [];
    for (const [index, check] of checks.entries()) {
      position.delete(check);
      told.push(await settle(check, getResult(sights, index, check)));
      if (quick && contents.listed && check.expected && !check.expected.object) unnamed++;
    }
    const doubtful = checks.filter((_, index) => isBad(told[index]));
    const again = doubtful.length === 0 ? undefined : await lookAgain(doubtful);
    for (const [index, event] of told.entries()) {
      const check = checks[index] as FileCheck;
      take(check, again?.get(check) ?? event);
    }
  };

  const { most, batchesAThread } = contents.listed ? STORE_BATCHES : FOLDER_BATCHES;
  // A file that is recorded is told when its record stands, which takes a store some seconds.
  const backlog = createTaskBacklog(input.adopt ? MAX_PENDING_RECORDS : 0);
  await checkAll({
    batches: createCheckBatches(verification.checks(), most, createQuickCheck(verification)),
    jobs: Math.min(input.jobs, files),
    batchesPerThread: batchesAThread,
    threads: input.threads,
    store: input.destination.settings,
    createRequest: createRequestFactory(input.destination, contents.listed),
    onStart: ({ file, path }) => emit({ event: 'start', file, path }),
    onBytes: (check, received) => {
      const at = (position.get(check) ?? 0) + received;
      position.set(check, at);
      emit({ event: 'progress', path: check.path, received, position: at, total: check.expected?.bytes });
    },
    onResults: (checks, sights) => backlog.add(tellAll(checks, sights)),
    signal,
  })
    .catch((error: unknown) => {
      verification.manifest.flushSoon();
      throw error;
    })
    .finally(backlog.drain);
  if (unnamed > 0) {
    const message = `${plural(unnamed, 'record')} without an ETag: of these, only presence and size were compared; tickhaul verify --adopt reads them, and records it`;
    emit({ event: 'warning', message });
  }
  return bad;
}

function isBad(event: FileEvent | undefined): boolean {
  return event?.status === 'corrupt' || event?.status === 'missing';
}

/** A store that can't be read is the end of the run, and no fault of an object. @throws TickhaulError. */
function throwStoreError(sights: readonly CheckResult[]): void {
  for (const { error } of sights)
    if (error && ERROR_TABLE[error.code].everyone) throw new TickhaulError(error.code, error.message);
}

function getResult(sights: readonly CheckResult[], index: number, { path }: FileCheck): CheckResult {
  const sight = sights[index];
  if (!sight) throw new Error(`${path}: the checking thread forgot it`);
  return sight;
}

/** What a listing of a store, or a quick look at a disk, says of a file; undefined where it has to be read. */
function createQuickCheck({
  input: { quick, destination },
  contents: { listed },
}: Verification): (check: FileCheck) => CheckResult | undefined {
  const orderOf = createRequestFactory(destination, listed);
  return (check) => {
    if (!check.expected) return undefined;
    if (!listed) return quick ? statExpected(orderOf(check)) : undefined;
    const sight = compareWithListing(check.expected, listed.get(check.path));
    // Under another ETag, there may be the same bytes.
    return quick || (sight.error && sight.error.code !== 'changed') ? sight : undefined;
  };
}
