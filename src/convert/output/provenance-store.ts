import { join, relative } from 'node:path';
import { createFolder, readRegular } from '../../base/disk-files.js';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import { appendLine } from '../../store/append-line.js';
import type { Files } from '../../store/files.js';
import { isObjectLocation, joinLocation } from '../../store/location.js';
import { readTextAt, writeTextsAt } from '../../store/read-write-at.js';

export type ProvenancePairs = Readonly<Record<string, string>>;

/**
 * Provenance records of the outputs under a folder or prefix, for formats without metadata
 * (docs/spec/ndjson-mapping.md#conversion-notes). Records may be lost: files are then converted again.
 */
export interface ProvenanceStore {
  get(target: string): Promise<ProvenancePairs | undefined>;
  /** @throws TickhaulError `disk`, errors of the store. */
  add(target: string, pairs: ProvenancePairs): Promise<void>;
}

/**
 * Opens the records of a folder or prefix.
 * @param signal aborts requests to the store.
 * @throws TickhaulError `disk`.
 */
export async function openProvenanceStore(
  root: string,
  files: Files,
  signal: AbortSignal,
): Promise<ProvenanceStore> {
  return isObjectLocation(root) ? openObjectProvenance(root, files, signal) : openFolderProvenance(root);
}

/** `.tickhaul/conversions.jsonl`: one JSON object per line; the last line of a path wins. */
async function openFolderProvenance(root: string): Promise<ProvenanceStore> {
  const path = join(root, STATE_FOLDER, 'conversions.jsonl');
  const toKey = (target: string): string => relative(root, target).replaceAll('\\', '/');
  const records = new Map((await readLines(path)).flatMap(parseProvenanceLine));
  return {
    get: async (target) => records.get(toKey(target)),
    async add(target, pairs) {
      records.set(toKey(target), pairs);
      try {
        await createFolder(join(root, STATE_FOLDER));
        await appendLine(path, JSON.stringify({ path: toKey(target), ...pairs }));
      } catch (error) {
        throw toDiskError(error, path);
      }
    },
  };
}

/** Objects cannot be appended to, so each output has its own record, `.tickhaul/conversions/<path>.json`. */
function openObjectProvenance(root: string, files: Files, signal: AbortSignal): ProvenanceStore {
  const prefix = joinLocation(root, '');
  const toPath = (target: string): string => target.slice(prefix.length);
  const toProvenanceLocation = (target: string): string =>
    joinLocation(root, `${STATE_FOLDER}/conversions/${toPath(target)}.json`);
  return {
    async get(target) {
      const text = await readTextAt(files, toProvenanceLocation(target), signal);
      return text === undefined ? undefined : parseProvenanceLine(text)[0]?.[1];
    },
    add(target, pairs) {
      const line = `${JSON.stringify({ path: toPath(target), ...pairs })}\n`;
      return writeTextsAt(files, toProvenanceLocation(target), [line], signal);
    },
  };
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readRegular(path)).split('\n');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, path);
  }
}

/** Empty for a line that is empty or was cut off by a crash. */
function parseProvenanceLine(line: string): readonly (readonly [string, ProvenancePairs])[] {
  try {
    const { path, ...pairs } = parseShallowJson(line) as Record<string, string>;
    return path === undefined ? [] : [[path, pairs]];
  } catch {
    return [];
  }
}
