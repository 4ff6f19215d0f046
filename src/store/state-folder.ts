import { join } from 'node:path';
import { STATE_FOLDER } from '../dataset/file-naming.js';

/** Where tickhaul keeps its own files in a download folder. */
export function stateFolderPath(dir: string): string {
  return join(dir, STATE_FOLDER);
}

/** Where a download folder has its manifest. */
export function manifestPath(dir: string): string {
  return join(stateFolderPath(dir), 'manifest.jsonl');
}
