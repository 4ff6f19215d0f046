import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular, writeWhole } from '../base/disk-files.js';
import { isSystemError, toDiskError } from '../base/errors.js';
import { readMachineId, readProcess } from './lock/lock-holder.js';
import { stateFolderPath } from './paths.js';

/** Facts needed to resume a `.part` file (RFC 9110, sections 13.1.5 and 14.2). */
export interface ResumeNote {
  /** Strong ETag, for If-Range. */
  readonly etag: string;
  /** Size of the whole file. */
  readonly total: number;
}

/** Path of a file until it is verified. A suffix makes it private to one run. */
export function partPath(finalPath: string, suffix?: string): string {
  return suffix === undefined ? `${finalPath}.part` : `${finalPath}.${suffix}.part`;
}

/** Splits the path of a part file; undefined for any other path. */
export function parsePartPath(path: string): { finalPath: string; suffix: string | undefined } | undefined {
  const [, finalPath, suffix] = /^(.+?)(?:\.(\d+-[0-9a-f]{8}(?:-[0-9a-f]{8})?))?\.part$/.exec(path) ?? [];
  return finalPath === undefined ? undefined : { finalPath, suffix };
}

/** Reads the resume note of a `.part` file; undefined if it is missing or damaged. */
export async function readResumeNote(dir: string, relPath: string): Promise<ResumeNote | undefined> {
  try {
    const { etag, total } = JSON.parse(await readRegular(notePath(dir, relPath))) as Partial<ResumeNote>;
    if (typeof etag !== 'string' || etag === '' || !Number.isSafeInteger(total)) return undefined;
    return { etag, total: Number(total) };
  } catch {
    return undefined;
  }
}

/** @throws TickhaulError `disk`. */
export async function writeResumeNote(dir: string, relPath: string, note: ResumeNote): Promise<void> {
  const text = JSON.stringify({ etag: note.etag, total: note.total });
  await writeWhole(notePath(dir, relPath), [text], { followsLinks: false, sync: false });
}

/** @throws TickhaulError `disk`. */
export async function removeResumeNote(dir: string, relPath: string): Promise<void> {
  const path = notePath(dir, relPath);
  await rm(path, { force: true }).catch((error: unknown) => {
    throw toDiskError(error, path);
  });
}

/** File names of all resume notes (see `noteName`), including leftovers of crashes. */
export async function listResumeNotes(dir: string): Promise<readonly string[]> {
  const folder = notesFolder(dir);
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, folder);
  }
}

/** File name of a path's resume note (docs/spec/manifest.md#parts). */
export function noteName(relPath: string): string {
  return `${createHash('sha1').update(relPath).digest('hex')}.json`;
}

function notesFolder(dir: string): string {
  return join(stateFolderPath(dir), 'parts');
}

function notePath(dir: string, relPath: string): string {
  return join(notesFolder(dir), noteName(relPath));
}

/** The run that writes a private part, as named in the suffix. */
interface PartOwner {
  readonly pid: number;
  /** Identifies where the process id is valid. */
  readonly machine: string | undefined;
}

/** Creates a suffix for the part files of a run that does not hold the folder's lock. */
export async function createPrivateSuffix(pid: number): Promise<string> {
  const machine = await readMachineTag();
  return [pid, ...(machine === undefined ? [] : [machine]), randomUUID().slice(0, 8)].join('-');
}

/**
 * Whether the process of the run that owns a private part still runs; undefined if this cannot be determined here.
 * @param isAlive whether a process of this host runs.
 */
export async function isOwnerAlive(
  suffix: string,
  isAlive: (pid: number) => boolean,
): Promise<boolean | undefined> {
  const { pid, machine } = parseSuffix(suffix);
  if (machine === undefined || machine !== (await readMachineTag())) return undefined;
  const running = await readProcess(pid);
  if (running) return running.start !== undefined;
  return isAlive(pid) ? undefined : false;
}

function parseSuffix(suffix: string): PartOwner {
  const [pid, machine, random] = suffix.split('-');
  return { pid: Number(pid), machine: random === undefined ? undefined : machine };
}

async function readMachineTag(): Promise<string | undefined> {
  const machine = await readMachineId();
  return machine === undefined ? undefined : createHash('sha1').update(machine).digest('hex').slice(0, 8);
}
