import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import type { Files } from '../../store/files.js';
import { isObjectLocation, joinLocation } from '../../store/location.js';
import { readTextAt, writeTextsAt } from '../../store/read-write-at.js';

export type ProvenancePairs = Readonly<Record<string, string>>;

/**
 * What the outputs under a folder or prefix were made from, for formats that have no room for it themselves. It may be
 * lost without harm: files are then converted again.
 */
export interface ProvenanceStore {
  get(target: string): Promise<ProvenancePairs | undefined>;
  /** @throws TickhaulError `disk`; what a store throws. */
  add(target: string, pairs: ProvenancePairs): Promise<void>;
}

/** Opens the notes of a folder or prefix. @param signal ends what is asked of a store. @throws TickhaulError `disk`. */
export async function openProvenanceStore(
  root: string,
  files: Files,
  signal: AbortSignal,
): Promise<ProvenanceStore> {
  return isObjectLocation(root) ? openObjectProvenance(root, files, signal) : openFolderProvenance(root);
}

/** `.tickhaul/conversions.jsonl`: one JSON object a line, the last line of a path wins. */
async function openFolderProvenance(root: string): Promise<ProvenanceStore> {
  const path = join(root, STATE_FOLDER, 'conversions.jsonl');
  const keyOf = (target: string): string => relative(root, target).replaceAll('\\', '/');
  const notes = new Map((await readLines(path)).flatMap(parseProvenanceLine));
  return {
    get: async (target) => notes.get(keyOf(target)),
    async add(target, pairs) {
      notes.set(keyOf(target), pairs);
      try {
        await createFolder(join(root, STATE_FOLDER));
        await appendFile(path, `${JSON.stringify({ path: keyOf(target), ...pairs })}\n`);
      } catch (error) {
        throw toDiskError(error, path);
      }
    },
  };
}

/** In a store nothing can be appended to: `.tickhaul/conversions/<path>.json` is the note of one output. */
function openObjectProvenance(root: string, files: Files, signal: AbortSignal): ProvenanceStore {
  const prefix = joinLocation(root, '');
  const pathOf = (target: string): string => target.slice(prefix.length);
  const noteOf = (target: string): string =>
    joinLocation(root, `${STATE_FOLDER}/conversions/${pathOf(target)}.json`);
  return {
    async get(target) {
      const text = await readTextAt(files, noteOf(target), signal);
      return text === undefined ? undefined : parseProvenanceLine(text)[0]?.[1];
    },
    add(target, pairs) {
      const line = `${JSON.stringify({ path: pathOf(target), ...pairs })}\n`;
      return writeTextsAt(files, noteOf(target), [line], signal);
    },
  };
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, path);
  }
}

/** None for a line that is empty, or cut off by a crash. */
function parseProvenanceLine(line: string): readonly (readonly [string, ProvenancePairs])[] {
  try {
    const { path, ...pairs } = JSON.parse(line) as Record<string, string>;
    return path === undefined ? [] : [[path, pairs]];
  } catch {
    return [];
  }
}
