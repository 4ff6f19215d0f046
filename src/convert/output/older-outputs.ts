import { TickhaulError } from '../../base/errors.js';
import { describeOlderKeys } from '../../dataset/layout.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { parentLocation, relativeLocation } from '../../store/location.js';
import { openDestination } from '../../store/open-destination.js';
import type { ConversionOutput } from '../naming/plan-conversions.js';

/**
 * The location of an output: its target, or where an earlier version wrote it under the older keys of the layout `hive`.
 * @param root the folder that contains both.
 */
export type LocateOutput = (output: ConversionOutput, root: string) => Promise<string>;

/** @param warn receives one warning, at the first output under the older keys. */
export function createOutputLocator(
  files: Files,
  store: StoreSettings | undefined,
  warn: (message: string) => void,
  signal: AbortSignal,
): LocateOutput {
  /** Whether there are files below a folder `exchange=…/type=…`. Without any, no output is looked up. */
  const foundByFolder = new Map<string, Promise<boolean>>();
  let hasWarned = false;

  const hasFiles = (folder: string, root: string): Promise<boolean> => {
    const found = foundByFolder.get(folder) ?? listAny(root, relativeLocation(root, folder) ?? '');
    foundByFolder.set(folder, found);
    return found;
  };
  const listAny = async (root: string, under: string): Promise<boolean> => {
    const destination = await openDestination(root, store, signal);
    try {
      for await (const page of destination.list(under, signal)) if (page.length > 0) return true;
      return false;
    } finally {
      await destination.close();
    }
  };

  const isOlder = async (target: string, olderTarget: string, root: string): Promise<boolean> => {
    const folder = findTypeFolder(olderTarget);
    if (folder === undefined || !(await hasFiles(folder, root))) return false;
    return !(await files.stat(target, signal)) && (await files.stat(olderTarget, signal)) !== undefined;
  };

  return async ({ target, olderTarget }, root) => {
    try {
      if (olderTarget === undefined || !(await isOlder(target, olderTarget, root))) return target;
    } catch (error) {
      // The conversion reports an error of the disk or the store. It needs no permission to list.
      if (error instanceof TickhaulError) return target;
      throw error;
    }
    if (!hasWarned) warn(describeOlderKeys(root));
    hasWarned = true;
    return olderTarget;
  };
}

/** The folder `exchange=…/type=…` of a path `exchange=…/type=…/symbol=…/date=…/name`. */
function findTypeFolder(target: string): string | undefined {
  let folder: string | undefined = target;
  for (let level = 0; level < 3; level++) folder = folder === undefined ? undefined : parentLocation(folder);
  return folder;
}
