import { rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import type { FindingEvent } from '../../run/run-events.js';
import { lockPath } from '../../store/lock/run-lock.js';
import { isOwnerAlive } from '../../store/part-owner.js';
import { listResumeNotes, noteName, parsePartPath, readResumeNote } from '../../store/part-path.js';

/** A `.part` file, or the note for resuming one. */
interface Part {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the last write. */
  readonly ageMs: number;
}

/** A finding about a part or a resume note. */
export interface PartFinding extends FindingEvent {
  readonly path: string;
}

const DAY_MS = 86_400_000;
/** The next run of the same download resumes a part. A part of this age has no next run. */
const RESUMABLE_MS = 7 * DAY_MS;
/** Age after which a part counts as left over if its owner cannot be checked. Writing such a part takes minutes. */
const ABANDONED_MS = DAY_MS;

/**
 * Classifies parts as left over (`stale`) or as resumable by the next run. Parts of a run that may be active are
 * skipped: parts with plain names while another run holds the folder's lock, and parts with a suffix while the
 * process that owns them runs.
 * @param isOurs whether the caller holds the folder's lock.
 * @param isAlive whether a process of this host runs.
 */
export async function classifyParts(
  dir: string,
  paths: readonly string[],
  isOurs: boolean,
  isAlive: (pid: number) => boolean,
): Promise<readonly PartFinding[]> {
  const isLocked = !isOurs && (await statIfExists(lockPath(dir))) !== undefined;
  const findings: PartFinding[] = [];
  for (const path of paths) {
    const part = await statPart(dir, path);
    const kind = part && (await classifyPart(dir, part, isLocked, isAlive));
    if (kind) findings.push(createPartFinding(kind, part));
  }
  return findings;
}

/** Finds resume notes that belong to none of the parts. @param parts all parts of the folder. */
export async function findStrayNotes(dir: string, parts: readonly string[]): Promise<readonly PartFinding[]> {
  const noted = new Set(parts.map((path) => noteName(parsePartPath(path)?.finalPath ?? path)));
  const stray = (await listResumeNotes(dir)).filter((name) => !noted.has(name));
  return stray.map((name) => ({
    event: 'finding',
    kind: 'stale',
    path: posix.join(STATE_FOLDER, 'parts', name),
    message: `${posix.join(STATE_FOLDER, 'parts', name)}: resume note without a part file`,
  }));
}

/** Removes a stale part or note. @throws TickhaulError `disk`. */
export async function removeStale(dir: string, finding: PartFinding): Promise<PartFinding> {
  const path = join(dir, finding.path);
  await rm(path, { force: true }).catch((error: unknown) => {
    throw toDiskError(error, path, 'disk');
  });
  return { ...finding, kind: 'removed' };
}

async function classifyPart(
  dir: string,
  { path, ageMs }: Part,
  isLocked: boolean,
  isProcessAlive: (pid: number) => boolean,
): Promise<'stale' | 'resumable' | undefined> {
  const { finalPath, suffix } = parsePartPath(path) ?? { finalPath: path, suffix: undefined };
  const isAlive = suffix === undefined ? undefined : await isOwnerAlive(suffix, isProcessAlive);
  if (isAlive !== undefined) return isAlive ? undefined : 'stale';
  // `convert` takes no lock, and processes of another machine cannot be checked.
  if (suffix !== undefined || !finalPath.endsWith(DAY_FILE_EXTENSION))
    return ageMs > ABANDONED_MS ? 'stale' : undefined;
  if (isLocked) return undefined;
  const isNeeded = ageMs < RESUMABLE_MS && (await statIfExists(join(dir, finalPath))) === undefined;
  return isNeeded && (await readResumeNote(dir, finalPath)) ? 'resumable' : 'stale';
}

function createPartFinding(kind: 'stale' | 'resumable', { path, bytes }: Part): PartFinding {
  const description =
    kind === 'stale' ? 'left by a run that ended' : 'the next run of the same download resumes it';
  return { event: 'finding', kind, path, bytes, message: `${path}: ${formatSize(bytes)}, ${description}` };
}

async function statPart(dir: string, path: string): Promise<Part | undefined> {
  const stats = await statIfExists(join(dir, path));
  return stats && { path, bytes: stats.size, ageMs: Date.now() - stats.mtimeMs };
}

async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
