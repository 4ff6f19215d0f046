import { join } from 'node:path';
import { STATE_FOLDER } from '../dataset/file-naming.js';

/** The folder in a download folder that holds tickhaul's state (docs/spec/manifest.md#state-folder). */
export function stateFolderPath(dir: string): string {
  return join(dir, STATE_FOLDER);
}

/** Path of a download folder's manifest. */
export function manifestPath(dir: string): string {
  return join(stateFolderPath(dir), 'manifest.jsonl');
}
