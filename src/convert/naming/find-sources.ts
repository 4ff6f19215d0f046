import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { abortReason, isSystemError, toDiskError, usageError } from '../../base/errors.js';
import { mayBeUndecoded, whyNotFound } from '../../base/utf8-name.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import { STATE_FOLDER } from '../../dataset/file-naming.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { absoluteLocation, isObjectLocation } from '../../store/location.js';
import { createPathMatcher, globBaseFolder, isPathGlob } from './path-glob.js';

export interface ConvertSource {
  /** A location. */
  readonly path: string;
  /** The folder or prefix that was searched; undefined for a file that was named itself. */
  readonly root: string | undefined;
}

/** Where is looked. */
export interface SourceAccess {
  readonly files: Files;
  readonly store: StoreSettings | undefined;
}

/**
 * The files that locations name: files as they are, folders and prefixes with the day files under them, globs. Each file
 * once, in the order of the arguments, and of names within a folder, or of keys.
 * @throws usage error for a path or a glob that names nothing; `disk` for what can't be read; what a store throws.
 */
export async function findSources(
  locations: readonly string[],
  reach: SourceAccess,
  signal: AbortSignal,
): Promise<readonly ConvertSource[]> {
  const found = new Map<string, ConvertSource>();
  for (const location of locations) {
    const sources = isObjectLocation(location)
      ? findInStore(location, reach, signal)
      : findInFolder(location, signal);
    for (const source of await sources) {
      const key = absoluteLocation(source.path);
      if (!found.has(key)) found.set(key, source);
    }
  }
  return [...found.values()];
}

async function findInFolder(path: string, signal: AbortSignal): Promise<readonly ConvertSource[]> {
  const there = await statIfExists(path);
  if (there?.isDirectory()) {
    const files: ConvertSource[] = [];
    for await (const file of listDayFiles(path, signal)) files.push({ path: file, root: path });
    return files;
  }
  if (there) return [{ path, root: undefined }];
  if (!isPathGlob(path)) throw usageError(`${path}: ${whyNotFound(path, 'there is no such file or folder')}`);
  const base = globBaseFolder(path);
  const matches = createPathMatcher(path);
  const matching: ConvertSource[] = [];
  if ((await statIfExists(base))?.isDirectory()) {
    for await (const file of listDayFiles(base, signal)) {
      if (matches(file)) matching.push({ path: file, root: base });
    }
  }
  if (matching.length === 0) throw usageError(`${path}: no ${DAY_FILE_EXTENSION} file matches`);
  return matching;
}

async function findInStore(
  location: string,
  { files, store }: SourceAccess,
  signal: AbortSignal,
): Promise<readonly ConvertSource[]> {
  const isNamed = /^s3:\/\/[^/]+\/.*[^/]$/i.test(location);
  if (isNamed && (await files.stat(location, signal))) return [{ path: location, root: undefined }];
  const isGlob = isPathGlob(location);
  const prefix = location.replace(/\/+$/, '');
  const root = isGlob ? globBaseFolder(location) : prefix;
  const matches = createPathMatcher(location);
  const under: ConvertSource[] = [];
  const matching: ConvertSource[] = [];
  for await (const path of listDayObjects(root, store, signal)) {
    if (path.startsWith(`${prefix}/`)) under.push({ path, root: prefix });
    else if (isGlob && matches(path)) matching.push({ path, root });
  }
  // As on a disk, what has this very name goes before what it may stand for.
  if (under.length > 0) return under;
  if (matching.length > 0) return matching;
  throw usageError(
    isGlob
      ? `${location}: no ${DAY_FILE_EXTENSION} object matches`
      : `${location}: there is no such object, and no ${DAY_FILE_EXTENSION} below it`,
  );
}

async function* listDayObjects(
  prefix: string,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { openDestination } = await import('../../store/open-destination.js');
  const destination = await openDestination(prefix, store, signal);
  try {
    for await (const page of destination.list('', signal)) {
      for (const { path } of page) if (path.endsWith(DAY_FILE_EXTENSION)) yield destination.locate(path);
    }
  } finally {
    await destination.close();
  }
}

async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw toDiskError(error, path);
  }
}

/**
 * Links to files are followed, links to folders are not: they may lead in circles. A folder whose name could not be
 * decoded stands for the files in it, and fails in their place.
 */
async function* listDayFiles(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) throw abortReason(signal);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (mayBeUndecoded(folder) && isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, folder);
  });
  if (!entries) return yield folder;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== STATE_FOLDER) yield* listDayFiles(path, signal);
    } else if (entry.name.endsWith(DAY_FILE_EXTENSION)) {
      if (entry.isFile() || (await statIfExists(path))?.isFile()) yield path;
    }
  }
}
