import { formatDay } from '../../day-files/day.js';
import { type DayFile, toSafeFileName } from '../../day-files/day-file.js';
import type { ViewFile } from './view-file.js';

/** Every path is matched with every glob, so a folder of unusual names would take long. */
const MAX_GLOBS = 100;

/**
 * Globs of DuckDB and paths that match the given files and nothing else of the folder. A glob has wildcards in place of
 * exchange, symbol and day.
 * @param paths all paths of the folder, also those of the files.
 * @param root location of the folder.
 */
export function createFilePatterns(
  files: readonly ViewFile[],
  paths: readonly string[],
  root: string,
): readonly string[] {
  const literals = files.map(({ path }) => escapeGlob(path));
  if (root.includes(BACKSLASH)) return literals;
  const countByGlob = new Map<string, number>();
  const globs = files.map(({ path, file }) => (file ? replaceNames(path, file) : path));
  for (const glob of globs) countByGlob.set(glob, (countByGlob.get(glob) ?? 0) + 1);
  if (countByGlob.size > MAX_GLOBS) return literals;
  const exact = new Set(
    [...countByGlob].flatMap(([glob, count]) =>
      count > 1 && countMatches(glob, paths) === count ? glob : [],
    ),
  );
  return [...new Set(globs.map((glob, i) => (exact.has(glob) ? escapeGlob(glob) : (literals[i] ?? ''))))];
}

/** In a path with wildcards, DuckDB takes it for a separator of folders. */
const BACKSLASH = '\\';

/** Whether DuckDB can read a path below a root: it finds no file by a path with a backslash and escaped wildcards. */
export function canQuery(root: string, path: string): boolean {
  const whole = root + path;
  return !whole.includes(BACKSLASH) || escapeGlob(whole) === whole;
}

/** Stand for wildcards; no path has the character NUL. */
const ANY = '\0a';
const ANY_DAY = '\0d';

/** Replaces exchange, symbol and day in a path, where they are whole words. */
function replaceNames(path: string, { exchange, symbol, day }: DayFile): string {
  const date = formatDay(day);
  const names = [exchange, symbol].map((name) => escapePattern(toSafeFileName(name))).join('|');
  const dateParts = date.replaceAll('-', '|');
  const words = new RegExp(
    `(?<![^/=_])(?:(${date})|${names})(?![^/_.])|(?<![^/])(?:${dateParts})(?![^/.])`,
    'g',
  );
  return path.replace(words, (_, day?: string) => (day === undefined ? ANY : ANY_DAY));
}

function countMatches(glob: string, paths: readonly string[]): number {
  const pattern = escapePattern(glob).replaceAll(ANY, '[^/]*').replaceAll(ANY_DAY, '[^/]{4}-[^/]{2}-[^/]{2}');
  const matches = new RegExp(`^${pattern}$`, 'su');
  return paths.filter((path) => matches.test(path)).length;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Escapes the characters that DuckDB takes for wildcards, and writes the wildcards. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[]/g, '[$&]').replaceAll(ANY, '*').replaceAll(ANY_DAY, '????-??-??');
}
