import { readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { diskError, isSystemError } from '../../base/errors.js';
import type { Survey } from '../destination.js';

/**
 * Looks as it is asked. One listing of a folder serves all questions about its files till another folder is asked of, as
 * a plan may ask for a million that aren't there.
 */
export function surveyFolder(dir: string): Survey {
  let listed: string | undefined;
  let names: ReadonlySet<string> = new Set();
  return {
    has(path) {
      const slash = path.lastIndexOf('/');
      const folder = path.slice(0, Math.max(0, slash));
      if (folder !== listed) {
        names = listNames(posix.join(dir, folder));
        listed = folder;
      }
      return names.has(path.slice(slash + 1));
    },
    facts(path) {
      const stats = statSync(`${dir}/${path}`, { throwIfNoEntry: false });
      return stats && { bytes: stats.size };
    },
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
