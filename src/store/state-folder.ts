import { join } from 'node:path';
import { STATE_FOLDER } from '../dataset/file-names.js';

/** Where tickhaul keeps its own files in a download folder. */
export function stateFolder(dir: string): string {
  return join(dir, STATE_FOLDER);
}

/** Where a download folder has its manifest. */
export function manifestPath(dir: string): string {
  return join(stateFolder(dir), 'manifest.jsonl');
}
