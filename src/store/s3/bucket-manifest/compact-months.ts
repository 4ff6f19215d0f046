import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../../base/errors.js';
import { tryAcquireLease } from '../lease.js';
import { baseName, listPrefixes, type ManifestLocation, type NamedObject } from './manifest-objects.js';
import { formatBaseHeader, NewestRecords } from './newest-records.js';
import { findLiveObjects, type LiveObjects, readBaseHeaders, readObjects } from './read-months.js';

/**
 * Compacts some months, unless another run holds the lease for compactions. The lease only saves work:
 * concurrent compactions are correct, and downloads continue meanwhile. Failures are ignored, since an
 * uncompacted manifest works as well, and errors of the store are reported elsewhere.
 */
export async function compactMonths(
  place: ManifestLocation,
  prefix: string,
  run: string,
  months: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = Date.now();
  try {
    const owner = { pid: 0, host: run, now, command: 'compaction', isAlive: () => true };
    const lease = await tryAcquireLease(place.store, prefix, owner, {
      folder: 'compactions',
      exclusive: true,
      signal,
    });
    if (!lease) return;
    try {
      const eitherSignal = signal ? AbortSignal.any([signal, lease.lost]) : lease.lost;
      setMaxListeners(0, eitherSignal);
      for (const month of months)
        await compactMonth(place, month, { run, now, storeNow: lease.acquiredMs, signal: eitherSignal });
    } finally {
      await lease.release();
    }
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
  }
}

/** How long objects remain after a base has replaced them, by the store's clock. */
const COVERED_RETENTION_MS = 3_600_000;
const MAX_LOOSE_SEGMENTS = 50;
/**
 * One more segment is allowed for each of these bytes, so that a large base is not rewritten for a few
 * segments.
 */
const BASE_BYTES_PER_SEGMENT = 1_000_000;
const LINES_PER_WRITE = 4096;

export interface CompactionInput {
  /** Unique name of the run. */
  readonly run: string;
  /** Milliseconds since the epoch, by this machine's clock: used only in a name. */
  readonly now: number;
  /** Milliseconds since the epoch, by the store's clock: compared with the times of objects. */
  readonly storeNow: number;
  /** Number of segments above which a base is written, if there is none yet. */
  readonly maxLooseSegments?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Replaces the segments of a month by one base, if there are many, and removes objects that a base replaced
 * an hour ago (docs/spec/s3-layout.md#bases). Concurrent or interrupted compactions do no harm:
 *
 * - A base replaces objects only by containing all of their records, and appears atomically.
 * - It lists the objects it replaces. A segment that is written meanwhile is not listed, and is still read.
 * - An object is removed only if a base that was listed with it replaces it. Names are never reused.
 *
 * @param month as returned by `monthPrefix`.
 */
export async function compactMonth(
  place: ManifestLocation,
  month: string,
  { run, now, storeNow, maxLooseSegments, signal }: CompactionInput,
): Promise<void> {
  const objects = (await listPrefixes(place, [month], signal)).get(month) ?? [];
  const live = findLiveObjects(objects, await readBaseHeaders(place, objects, signal));
  if (needsCompaction(live, maxLooseSegments)) {
    const name = baseName(
      now,
      run,
      objects.map((object) => object.name),
    );
    await writeBase(place, `${place.root}${month}${name}`, objects, live, signal);
  }
  await place.store.remove(findRemovableKeys(live, objects, storeNow), signal);
}

/** Whether a month needs a new base. Two bases, from concurrent compactions, are merged. */
export function needsCompaction(
  { loose, bases, baseBytes }: Pick<LiveObjects, 'loose' | 'bases' | 'baseBytes'>,
  maxLooseSegments = MAX_LOOSE_SEGMENTS,
): boolean {
  return bases > 1 || loose > maxLooseSegments + baseBytes / BASE_BYTES_PER_SEGMENT;
}

/** Keys of objects that a base replaced long enough ago. */
function findRemovableKeys(
  { covered }: LiveObjects,
  objects: readonly NamedObject[],
  storeNow: number,
): string[] {
  return objects
    .filter(({ name }) => {
      const base = covered.get(name);
      return base !== undefined && base.modified + COVERED_RETENTION_MS <= storeNow;
    })
    .map(({ key }) => key);
}

/**
 * Writes a base with the records of the needed objects, which include those of all listed objects. Writes
 * nothing if one of them has been removed, since another compaction is running, or contains lines that cannot
 * be parsed, which a later version may have written.
 */
async function writeBase(
  place: ManifestLocation,
  key: string,
  objects: readonly NamedObject[],
  { needed }: LiveObjects,
  signal: AbortSignal | undefined,
): Promise<void> {
  const newest = new NewestRecords();
  let isComplete = true;
  const onSkippedLines = (): void => {
    isComplete = false;
  };
  const removed = await readObjects(place, needed, newest, onSkippedLines, signal);
  if (removed.length > 0 || !isComplete) return;
  const upload = place.store.upload(key, undefined, signal);
  try {
    let batch: string[] = [formatBaseHeader(objects.map(({ name }) => name)), '\n'];
    for (const line of newest.lines()) {
      batch.push(line, '\n');
      if (batch.length < 2 * LINES_PER_WRITE) continue;
      await upload.write(Buffer.from(batch.join('')));
      batch = [];
    }
    await upload.write(Buffer.from(batch.join('')));
    await upload.complete();
  } finally {
    await upload.abort();
  }
}
