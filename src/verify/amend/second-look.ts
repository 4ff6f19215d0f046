import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FileEvent } from '../../run/events.js';
import { type Manifest, openManifest } from '../../store/manifest/manifest.js';
import { stateFolder } from '../../store/state-folder.js';
import { orderOf } from '../check/check-all.js';
import { checksOf } from '../check/checks.js';
import { examine, look } from '../check/examine.js';
import type { Check } from '../types.js';
import type { Verification } from '../verification.js';
import type { Settle } from './settle.js';

/**
 * Looks again at a file that seems bad, where another run has recorded it anew since the manifest was read, or has
 * dropped or forgotten it: its record then tells of other bytes, or is gone.
 * @returns undefined where nobody has.
 */
export function createSecondLook(
  { input, manifest, manifestVersion }: Verification,
  settle: Settle,
): (check: Check) => Promise<FileEvent | undefined> {
  const { dir, quick } = input;
  let known: Manifest = manifest;
  let version = manifestVersion;
  return async (check) => {
    const current = await readManifestVersion(dir);
    if (current !== version) {
      known = await openManifest(dir, { warn: () => {} });
      version = current;
    }
    if (!check.record) return undefined;
    const record = known.get(check.record.path);
    if (isDeepStrictEqual(record, check.record)) return undefined;
    const now = record && [...checksOf(record)].find((each) => each.path === check.path);
    if (!now) return { event: 'file', status: 'skipped', file: check.file, path: check.path };
    const order = orderOf(now, dir);
    return settle(now, quick ? look(order) : await examine(order, () => {}));
  };
}

/** Changes with each append to a folder's manifest, and with each compaction. */
export async function readManifestVersion(dir: string): Promise<string> {
  return stat(join(stateFolder(dir), 'manifest.jsonl')).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => '',
  );
}
