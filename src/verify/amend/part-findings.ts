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

/** A `.part` file, or a note on how to resume one. */
interface Part {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since it was written to. */
  readonly ageMs: number;
}

/** What is said of a part. */
export interface PartFinding extends FindingEvent {
  readonly path: string;
}

const DAY_MS = 86_400_000;
/** A part is resumed by the next run that wants its file; after so long there is none. */
const RESUMABLE_MS = 7 * DAY_MS;
/** Nobody can be asked for these: who writes them does so in minutes. */
const ABANDONED_MS = DAY_MS;

/**
 * Tells which of the parts are left over, and which a next run resumes. Those of a run that may be at work are
 * passed over: under the names that the holder of the folder's lock writes, while there is one; with a name of
 * their own, while their process runs.
 * @param isOurs whether the caller holds the folder's lock. @param isAlive whether a process of this host runs.
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

/** Notes that belong to none of the parts. @param parts all there are. */
export async function findStrayNotes(dir: string, parts: readonly string[]): Promise<readonly PartFinding[]> {
  const noted = new Set(parts.map((path) => noteName(parsePartPath(path)?.finalPath ?? path)));
  const stray = (await listResumeNotes(dir)).filter((name) => !noted.has(name));
  return stray.map((name) => ({
    event: 'finding',
    kind: 'stale',
    path: posix.join(STATE_FOLDER, 'parts', name),
    message: `${posix.join(STATE_FOLDER, 'parts', name)}: a note to resume a part that is not there`,
  }));
}

/** Removes what was found to be stale. @throws TickhaulError `disk`. */
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
  // A conversion by hand takes no lock, and another machine's process can't be asked for.
  if (suffix !== undefined || !finalPath.endsWith(DAY_FILE_EXTENSION))
    return ageMs > ABANDONED_MS ? 'stale' : undefined;
  if (isLocked) return undefined;
  const isWanted = ageMs < RESUMABLE_MS && (await statIfExists(join(dir, finalPath))) === undefined;
  return isWanted && (await readResumeNote(dir, finalPath)) ? 'resumable' : 'stale';
}

function createPartFinding(kind: 'stale' | 'resumable', { path, bytes }: Part): PartFinding {
  const what = kind === 'stale' ? 'left by a run that ended' : 'the next run of the same download resumes it';
  return { event: 'finding', kind, path, bytes, message: `${path}: ${formatSize(bytes)}, ${what}` };
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
