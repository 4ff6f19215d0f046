import { stat } from 'node:fs/promises';
import { whyNotFound } from '../base/disk-files.js';
import { abortReason, isSystemError, TickhaulError, toDiskError, usageError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import { onAbort } from '../base/wait.js';
import type { FileEvent, RunSummary } from '../events/run-events.js';
import { createRunTally } from '../events/run-tally.js';
import type { Destination } from '../store/destination.js';
import { createWaitNote } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { checkFiles } from './check-files.js';
import { type BadFile, selectionToManifestScope } from './file-checks.js';
import { findOtherFindings } from './findings.js';
import { openVerification, type VerifyInput } from './verification.js';

/**
 * Checks a download folder against its manifest: day files and the outputs converted from them. Bad files are
 * reported as events and in the summary.
 * @throws TickhaulError if the run cannot start: usage errors, disk errors, and `locked` if the run writes to the
 * folder while another run is active there.
 */
export async function verifyDestination(input: VerifyInput): Promise<RunSummary> {
  const { destination, owner } = input;
  await assertFolder(destination);
  const writes = input.adopt || input.clean || input.forget || input.repair !== undefined;
  if (!writes) return verifyLocked(input, false);
  const lock = await destination.acquireLock(owner, {
    timeoutMs: input.lockTimeoutMs,
    onWait: createWaitNote(input.emit),
    signal: input.signal,
  });
  try {
    return await verifyLocked({ ...input, signal: AbortSignal.any([input.signal, lock.lost]) }, true);
  } finally {
    await lock.release();
  }
}

async function verifyLocked(input: VerifyInput, isLockOurs: boolean): Promise<RunSummary> {
  const { destination, emit } = input;
  const startMs = performance.now();
  const warn = (message: string): void => emit({ event: 'warning', message });
  const options = { warn, signal: input.signal };
  const manifest = await destination.openManifest(options, selectionToManifestScope(input.selection));
  const removeListener = onAbort(input.signal, () => manifest.flushSoon());
  const tally = createRunTally();
  const emitFile = (event: FileEvent): void => {
    tally.add(event);
    emit(event);
  };
  try {
    const verification = await openVerification(input, manifest);
    const planned = { files: verification.files };
    emit({ event: 'plan', ...planned, aim: 'verify' });
    const stopped = await runUntilStopped(input.signal, async () => {
      const bad = await checkFiles(verification, emitFile);
      if (bad.length > 0) {
        if (input.repair) await input.repair(bad, manifest, emitFile, input.signal);
        else await forgetMissing(bad, manifest, emitFile);
      }
      for await (const finding of findOtherFindings(verification, isLockOurs)) {
        tally.addFinding(finding, finding.kind === 'gap' && input.strict ? 'not_exported' : undefined);
        emit(finding);
      }
    });
    return tally.summary({ planned, stopped, strict: false, seconds: secondsSince(startMs) });
  } finally {
    await manifest.close().finally(removeListener);
  }
}

/** Returns the reason of an early end, or undefined if the work completed. */
async function runUntilStopped(
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<TickhaulError | undefined> {
  try {
    await work();
    return signal.aborted ? abortReason(signal) : undefined;
  } catch (error) {
    if (signal.aborted) return abortReason(signal);
    if (error instanceof TickhaulError) return error;
    throw error;
  }
}

/** Not for an object store, whose listing shows whether the prefix exists. */
async function assertFolder(destination: Destination): Promise<void> {
  if (!destination.hasLocalPaths) return;
  const dir = destination.locate('');
  try {
    if ((await stat(dir)).isDirectory()) return;
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw toDiskError(error, dir, 'disk');
  }
  throw usageError(`${dir}: ${whyNotFound(dir, 'there is no such download folder; set yours with --dir')}`);
}

/**
 * Removes missing files from the manifest (`--forget`). A day file that still has conversions is marked as dropped;
 * one of which nothing is left counts as never downloaded.
 * @throws TickhaulError `disk`.
 */
async function forgetMissing(
  missing: readonly BadFile[],
  manifest: Manifest,
  emit: (event: FileEvent) => void,
): Promise<void> {
  const forget = async (path: string, files: readonly BadFile[]): Promise<void> => {
    const missingPaths = new Set(files.map(({ event }) => event.path));
    const record = manifest.get(path);
    if (record) {
      const conversions = record.conversions?.filter((conversion) => !missingPaths.has(conversion.path));
      await manifest.append({ ...record, conversions, ...(missingPaths.has(path) && { dropped: true }) });
    }
    for (const { event } of files) emit({ ...event, status: 'forgotten', error: undefined });
  };
  // All at once, so that the manifest writes many records together.
  const forgetting = Promise.all([...groupByDayFile(missing)].map(([path, files]) => forget(path, files)));
  // No later record follows that would flush a store's records.
  await Promise.all([forgetting, manifest.flush()]);
}

/** Groups bad files by the path of their day file, since files of the same day file are repaired together. */
export function groupByDayFile(bad: readonly BadFile[]): ReadonlyMap<string, readonly BadFile[]> {
  const groups = new Map<string, BadFile[]>();
  for (const file of bad) {
    const group = groups.get(file.record.path);
    if (group) group.push(file);
    else groups.set(file.record.path, [file]);
  }
  return groups;
}
