import { lstatSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { isSystemError, toDiskError } from '../../base/errors.js';
import type { FileLookup } from '../destination.js';

/** Questions about one folder after which it is listed. */
const LOOKUPS_BEFORE_LISTING = 64;

/** What is known of one folder. */
interface FolderState {
  questions: number;
  names: ReadonlySet<string> | undefined;
}

/**
 * Looks as it is asked. A few names of a folder are looked up one by one, since it may hold a million. Then one listing
 * serves all questions about its files, as a plan may ask for a million that aren't there.
 * @param inTurn whether questions come folder after folder: then only one is remembered, as there may be a million.
 */
export function createFolderLookup(dir: string, inTurn: boolean): FileLookup {
  const folders = inTurn ? undefined : new Map<string, FolderState>();
  let name: string | undefined;
  let folder: FolderState = { questions: 0, names: undefined };
  const turnTo = (other: string): void => {
    name = other;
    folder = folders?.get(other) ?? { questions: 0, names: undefined };
    folders?.set(other, folder);
  };
  return {
    has(path) {
      const slash = path.lastIndexOf('/');
      const parent = path.slice(0, Math.max(0, slash));
      if (parent !== name) turnTo(parent);
      const found = folder.questions++ < LOOKUPS_BEFORE_LISTING ? existsSync(`${dir}/${path}`) : undefined;
      if (found !== undefined) return found;
      folder.names ??= listNames(posix.join(dir, parent));
      return folder.names.has(path.slice(slash + 1));
    },
    get(path) {
      const bytes = sizeOf(`${dir}/${path}`);
      return bytes === undefined ? undefined : { bytes };
    },
  };
}

/** Undefined where a listing is to say why it can't be known. */
function existsSync(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    if (isMissingFolder(error)) return undefined;
    throw toDiskError(error, path);
  }
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isMissingFolder(error)) return new Set();
    throw toDiskError(error, folder);
  }
}

/** Where no folder stands, nothing is there: whoever brings something says what is in its way. */
function isMissingFolder(error: unknown): boolean {
  return isSystemError(error) && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code);
}
