import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { diskError, isSystemError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { STATE_FOLDER } from '../../dataset/layout.js';

type Pairs = Readonly<Record<string, string>>;

/** What the outputs under a folder were made from, for formats that have no room for it themselves. */
export interface ConversionNotes {
  get(target: string): Pairs | undefined;
  /** @throws TickhaulError `disk`. */
  add(target: string, pairs: Pairs): Promise<void>;
}

/**
 * Opens `.tickhaul/conversions.jsonl` of a folder: one JSON object a line, the last line of a path wins. It may
 * be lost without harm: files are then converted again.
 * @throws TickhaulError `disk`.
 */
export async function openNotes(root: string): Promise<ConversionNotes> {
  const path = join(root, STATE_FOLDER, 'conversions.jsonl');
  const keyOf = (target: string): string => relative(root, target).replaceAll('\\', '/');
  const notes = new Map((await linesOf(path)).flatMap(parseLine));
  return {
    get: (target) => notes.get(keyOf(target)),
    async add(target, pairs) {
      notes.set(keyOf(target), pairs);
      try {
        await makeFolder(join(root, STATE_FOLDER));
        await appendFile(path, `${JSON.stringify({ path: keyOf(target), ...pairs })}\n`);
      } catch (error) {
        throw diskError(error, path);
      }
    },
  };
}

async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw diskError(error, path);
  }
}

/** None for a line that is empty, or cut off by a crash. */
function parseLine(line: string): readonly (readonly [string, Pairs])[] {
  try {
    const { path, ...pairs } = JSON.parse(line) as Record<string, string>;
    return path === undefined ? [] : [[path, pairs]];
  } catch {
    return [];
  }
}
