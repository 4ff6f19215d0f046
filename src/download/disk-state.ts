import { readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { type DayFile, isSameDayFile } from '../dataset/day-file.js';
import { diskError, isSystemError } from '../errors.js';
import type { Manifest } from '../store/manifest.js';
import type { Existing, PlannedAction } from './types.js';

/** What stands on disk for one path, as a plan wants to know it. */
export interface DiskState {
  readonly status: 'download' | 'skip' | 'resume';
  readonly action: PlannedAction;
}

const FETCH: DiskState = { status: 'download', action: 'fetch' };
const RESUME: DiskState = { status: 'resume', action: 'fetch' };
const SKIP: DiskState = { status: 'skip', action: 'nothing' };
const CHECK: DiskState = { status: 'skip', action: 'check' };
const ADOPT: DiskState = { status: 'skip', action: 'adopt' };

/**
 * Looks paths up in the manifest and in the folder, one folder listing for all its files: a plan may ask for a
 * million that aren't there.
 */
export function createDiskLookup(
  dir: string,
  manifest: Manifest,
  existing: Existing,
): (file: DayFile, path: string) => DiskState {
  let listed: string | undefined;
  let names: ReadonlySet<string> = new Set();
  return (file, path) => {
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(0, slash));
    if (folder !== listed) {
      names = listNames(posix.join(dir, folder));
      listed = folder;
    }
    const name = path.slice(slash + 1);
    if (!names.has(name)) return names.has(`${name}.part`) ? RESUME : FETCH;
    if (existing === 'overwrite') return FETCH;
    const record = manifest.get(path);
    if (!record) return ADOPT;
    // Another day file's name: the run will say so.
    if (!isSameDayFile(record.file, file)) return FETCH;
    if (existing === 'verify') return CHECK;
    return statSync(posix.join(dir, path), { throwIfNoEntry: false })?.size === record.bytes ? SKIP : FETCH;
  };
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return new Set();
    throw diskError(error, folder);
  }
}
