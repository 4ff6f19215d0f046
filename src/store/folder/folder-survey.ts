import { lstatSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { diskError, isSystemError } from '../../base/errors.js';
import type { Survey } from '../destination.js';

/** Questions about one folder after which it is listed. */
const FEW = 64;

/**
 * Looks as it is asked. A few names of a folder are looked up one by one, since it may hold a million. Then one listing
 * serves all questions about its files till another folder is asked of, as a plan may ask for a million that aren't there.
 */
export function surveyFolder(dir: string): Survey {
  let folder: string | undefined;
  let asked = 0;
  let names: ReadonlySet<string> | undefined;
  return {
    has(path) {
      const slash = path.lastIndexOf('/');
      const parent = path.slice(0, Math.max(0, slash));
      if (parent !== folder) {
        folder = parent;
        asked = 0;
        names = undefined;
      }
      const found = asked++ < FEW ? stands(`${dir}/${path}`) : undefined;
      if (found !== undefined) return found;
      names ??= listNames(posix.join(dir, folder));
      return names.has(path.slice(slash + 1));
    },
    facts(path) {
      const stats = statSync(`${dir}/${path}`, { throwIfNoEntry: false });
      return stats && { bytes: stats.size };
    },
  };
}

/** Undefined where a listing is to say why it can't be known. */
function stands(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return new Set();
    throw diskError(error, folder);
  }
}
