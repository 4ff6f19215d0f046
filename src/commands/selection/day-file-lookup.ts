import { dirname, join, relative, resolve, sep } from 'node:path';
import type { DayFile } from '../../dataset/day-file.js';
import { STATE_FOLDER } from '../../dataset/file-names.js';
import { type Manifest, openManifest } from '../../store/manifest/manifest.js';
import { isThere } from '../is-there.js';

/** Finds which day file a path is, in the manifest of the download folder that it lies in. */
export function createDayFileLookup(): (path: string) => Promise<DayFile | undefined> {
  const dirs = new Map<string, Promise<string | undefined>>();
  const manifests = new Map<string, Promise<Manifest>>();

  const downloadDir = (folder: string): Promise<string | undefined> => {
    const known = dirs.get(folder) ?? findDownloadDir(folder);
    dirs.set(folder, known);
    return known;
  };

  return async (path) => {
    const file = resolve(path);
    const dir = await downloadDir(dirname(file));
    if (dir === undefined) return undefined;
    const opening = manifests.get(dir) ?? openManifest(dir, { warn: () => {} });
    manifests.set(dir, opening);
    return (await opening).get(relative(dir, file).replaceAll(sep, '/'))?.file;
  };
}

/** The nearest folder, from this one up, with a manifest. */
export async function findDownloadDir(folder: string): Promise<string | undefined> {
  if (await isThere(join(folder, STATE_FOLDER, 'manifest.jsonl'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findDownloadDir(parent);
}
