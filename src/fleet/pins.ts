import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { writeWhole } from '../base/write-whole.js';
import { formatPin, type PinnedPlan, parsePin, pinName } from '../download/lists/pin.js';
import { stateFolder } from '../store/state-folder.js';

/** Puts a pinned plan where all workers find it. @returns its name there. @throws TickhaulError `disk`. */
export async function writePin(dir: string, pin: PinnedPlan): Promise<string> {
  const texts = formatPin(pin);
  const name = pinName(texts);
  const path = pinPath(dir, name);
  try {
    await makeFolder(join(stateFolder(dir), FOLDER));
  } catch (error) {
    throw diskError(error, path);
  }
  await writeWhole(path, texts);
  return name;
}

/** @throws usage error where it was changed; `disk` where it can't be read: this machine has the folder not, or not there. */
export async function readPin(dir: string, name: string): Promise<PinnedPlan> {
  const path = pinPath(dir, name);
  try {
    return parsePin(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const isGone = error.code === 'ENOENT';
    if (!isGone) throw diskError(error, path);
    throw new TickhaulError(
      'disk',
      `${path}: the plan of this slice is not there; is ${dir} the folder that the queue was filled for, on this machine too?`,
    );
  }
}

const FOLDER = 'plans';

function pinPath(dir: string, name: string): string {
  return join(stateFolder(dir), FOLDER, `${name}.json`);
}
