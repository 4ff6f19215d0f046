import { rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { whyNotFound } from '../base/disk-files.js';
import { isSystemError, toDiskError } from '../base/errors.js';
import { formatSize } from '../base/units.js';
import { DAY_FILE_EXTENSION, STATE_FOLDER } from '../day-files/day-file.js';
import type { FindingEvent } from '../events/run-events.js';
import { lockPath } from '../store/lock/run-lock.js';
import {
  isOwnerAlive,
  listResumeNotes,
  noteName,
  parsePartPath,
  readResumeNote,
} from '../store/part-path.js';
import { isInside } from '../store/paths.js';
import { isStrayName } from '../store/stray-files.js';
import type { Verification } from './verification.js';

const DAY_MS = 86_400_000;

/**
 * Findings besides the checked files: unrecorded files, temporary files left by earlier runs, and gaps. Stale
 * temporary files are removed if `clean` is set.
 * @param isLockOurs whether this run holds the folder's lock.
 * @throws TickhaulError `disk`.
 */
export async function* findOtherFindings(
  verification: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const { input, identified, days } = verification;
  yield* findUnknownFiles(verification);
  // An object store has unfinished uploads instead, which each run aborts after a day.
  if (input.destination.hasLocalPaths) yield* findLeftoverParts(verification, isLockOurs);
  // An existing file counts as a day of its series even without a record.
  for (const file of identified.values()) days.add(file, true);
  yield* days.gaps();
}

async function* findLeftoverParts(
  { input: { destination, owner, clean }, contents, scope }: Verification,
  isLockOurs: boolean,
): AsyncGenerator<FindingEvent> {
  const dir = destination.locate('');
  const parts = await classifyParts(dir, contents.parts, isLockOurs, owner.isAlive);
  // Without the lock, a note may belong to an active run. Outside the scope, its part may exist elsewhere.
  const notes = isLockOurs && scope.isWhole ? await findStrayNotes(dir, contents.parts) : [];
  for (const finding of [...parts, ...notes]) {
    yield finding.kind === 'stale' && clean ? await removeStale(dir, finding) : finding;
  }
}

function* findUnknownFiles({ input, contents, identified }: Verification): Generator<FindingEvent> {
  for (const path of contents.undecoded) {
    const message = `${path}: ${whyNotFound(path, 'is missing')}`;
    yield { event: 'finding', kind: 'unknown', path, message };
  }
  for (const path of contents.unknown) {
    const isIdentified = identified.has(path);
    if (isIdentified && input.adopt) continue;
    const obstacle = isStrayName(path)
      ? 'is that of a copy or of a system file; remove or rename the file'
      : isInside(path)
        ? 'does not identify its day file; tickhaul download with the right --layout records it'
        : 'cannot be recorded';
    const reason = isIdentified ? '' : `, and its name ${obstacle}`;
    yield {
      event: 'finding',
      kind: 'unknown',
      path,
      message: `${path}: not recorded in the manifest${reason}`,
    };
  }
}

/** A `.part` file, or the note for resuming one. */
interface Part {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the last write. */
  readonly ageMs: number;
}

/** A finding about a part or a resume note. */
interface PartFinding extends FindingEvent {
  readonly path: string;
}

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
async function classifyParts(
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
async function findStrayNotes(dir: string, parts: readonly string[]): Promise<readonly PartFinding[]> {
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
