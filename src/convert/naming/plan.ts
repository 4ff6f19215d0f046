import { resolve } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import { dayFileOfName } from '../../dataset/day-file-name.js';
import type { Source } from './find.js';
import { outputRoot, type Placement, targetOf } from './target.js';

/** A file to convert, and where to. */
export interface PlannedConversion {
  readonly source: string;
  /** Undefined where nothing tells it. */
  readonly file: DayFile | undefined;
  /** The folder that the output goes to, or to folders below. */
  readonly root: string;
  readonly target: string;
}

/**
 * Works out where each source's output goes.
 * @param dayFileOf asked for a file whose name doesn't tell which one it is.
 * @throws usage error when two sources would share an output, or the layout needs to know more of one.
 */
export async function planConversions(
  sources: readonly Source[],
  placement: Placement,
  extension: string,
  dayFileOf: (path: string) => Promise<DayFile | undefined> = async () => undefined,
): Promise<readonly PlannedConversion[]> {
  const owners = new Map<string, string>();
  const planned: PlannedConversion[] = [];
  for (const source of sources) {
    const { path } = source;
    const file = dayFileOfName(path) ?? (await dayFileOf(path));
    const target = targetOf(source, file, placement, extension);
    const other = owners.get(resolve(target));
    if (other !== undefined) {
      throw usageError(`${other} and ${path} would both become ${target}; choose another --layout`);
    }
    owners.set(resolve(target), path);
    planned.push({ source: path, file, root: outputRoot(source, placement), target });
  }
  return planned;
}
