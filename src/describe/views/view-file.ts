import { computedColumns } from '../../convert/computed/computed-rows.js';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../day-files/data-types.js';
import { formatDay } from '../../day-files/day.js';
import { type DayFile, toSafeFileName } from '../../day-files/day-file.js';
import { parseNormalizedName } from '../../market/message-type-name.js';

/** A column as a file has it. */
export interface FileColumn {
  /** Empty for a column that no view reads (`toSqlColumns`). */
  readonly name: string;
  /** `string`, `int64`, `double`, `boolean`, `timestamp`; a Parquet file of another writer may have others. */
  readonly type: string;
}

/** A file that a view reads. */
export interface ViewFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Data type or computed type. */
  readonly type: string;
  /** Undefined if neither its name, its metadata nor a manifest states it. */
  readonly file: DayFile | undefined;
  readonly columns: readonly FileColumn[];
}

/** The columns of a data type or computed type; the leading columns if the type is unknown. */
export function findViewColumns(type: string): readonly Column[] {
  const computed = parseNormalizedName(type);
  const isComputed = computed !== undefined && computed.kind !== 'source';
  return dataTypeColumns(type) ?? (isComputed ? computedColumns(computed) : LEADING_COLUMNS);
}

/** A name as DuckDB compares it: without the case of ASCII letters. */
export function toNameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether SQL can contain the name. */
export function isSqlName(name: string): boolean {
  return name !== '' && !name.includes('\0');
}

/**
 * The columns of a file for SQL, with an empty name for those that a view cannot read: columns without a name, and of
 * several whose names differ only in case, all but the first.
 */
export function toSqlColumns(columns: readonly FileColumn[]): readonly FileColumn[] {
  const taken = new Set<string>();
  return columns.map(({ name, type }) => {
    const key = toNameKey(name);
    const isUsable = isSqlName(name) && !taken.has(key);
    taken.add(key);
    return { name: isUsable ? name : '', type };
  });
}

/** Quotes a name of a view or column. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text. Only quotes have a special meaning in it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

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
