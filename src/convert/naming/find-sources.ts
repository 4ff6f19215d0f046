import { readdir, stat } from 'node:fs/promises';
import { join, normalize, relative, resolve, sep } from 'node:path';
import { mayBeUndecoded, whyNotFound } from '../../base/disk-files.js';
import { abortReason, isSystemError, toDiskError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { isDataType, typesWithColumnsOf } from '../../day-files/data-types.js';
import type { Day } from '../../day-files/day.js';
import {
  DAY_FILE_EXTENSION,
  type DayFile,
  parseDayFileName,
  STATE_FOLDER,
} from '../../day-files/day-file.js';
import {
  type DayFileFilter,
  type DayFileSelection,
  openDayFileFilter,
  selectsAll,
} from '../../day-files/series-filter.js';
import type { SeriesNames } from '../../events/audited-day.js';
import { parseNormalizedName } from '../../market/message-type-name.js';
import type { Files, StoredFileInfo, StoreSettings } from '../../store/files.js';
import {
  absoluteLocation,
  hasObjectKey,
  isObjectLocation,
  joinLocation,
  relativeLocation,
} from '../../store/location.js';
import { createDestinationFinder, NOTHING_KNOWN, openDestination } from '../../store/open-destination.js';
import { StrayFiles } from '../../store/stray-files.js';
import { createRecordLookup, type FindDayFile, readDataTypeFromHeader } from './day-file-lookup.js';

export interface ConvertSource {
  /** A location. */
  readonly path: string;
  /** The folder or prefix that was searched; undefined if the argument was the file itself. */
  readonly root: string | undefined;
  /** Facts from a listing of a store. */
  readonly info?: StoredFileInfo | undefined;
  /** Its data type if it was selected by its header; else its name tells it, or a record. */
  readonly dataType?: string | undefined;
}

/** Storage to search. */
export interface SourceAccess {
  readonly files: Files;
  readonly store: StoreSettings | undefined;
  /** Called with one line if files are passed over because of their names. */
  readonly warn: (message: string) => void;
}

/**
 * Resolves locations to files: files, folders and prefixes with the day files below them, and globs. Each
 * file occurs once, in the order of the arguments, and by name or key within a folder. Copies, system files and CSVs of
 * computed types are found only by their own locations.
 * @throws TickhaulError `usage` if a location matches nothing, `disk`, errors of the store.
 */
export async function findSources(
  locations: readonly string[],
  access: SourceAccess,
  signal: AbortSignal,
): Promise<readonly ConvertSource[]> {
  const found = new Map<string, ConvertSource>();
  const computed: string[] = [];
  const { files, store, warn } = access;
  const findRecord = createRecordLookup(files, store, signal);
  const strays = new StrayFiles(files, async (location) => (await findRecord(location)) !== undefined);
  for (const location of locations) {
    const sources = isObjectLocation(location)
      ? findInStore(location, access, strays, signal)
      : findInFolder(location, access, strays, signal);
    for (const source of await sources) {
      const key = absoluteLocation(source.path);
      if (source.root !== undefined && isComputedFile(source.path)) computed.push(source.path);
      else if (!found.has(key)) found.set(key, source);
    }
  }
  const passedOver = strays.describe();
  if (passedOver !== undefined) warn(passedOver);
  if (computed.length > 0)
    warn(
      `passing over ${plural(computed.length, 'file')}, by name computed and not day files, such as ${computed[0]}; to read it, name the file itself`,
    );
  return [...found.values()];
}

/** Whether the name is that of a conversion to a computed type. */
function isComputedFile(path: string): boolean {
  const type = parseNormalizedName(parseDayFileName(path)?.dataType ?? '');
  return type !== undefined && type.kind !== 'source';
}

async function findInFolder(
  path: string,
  access: SourceAccess,
  strays: StrayFiles,
  signal: AbortSignal,
): Promise<readonly ConvertSource[]> {
  const stats = await statIfExists(path);
  if (stats?.isDirectory()) {
    const files: ConvertSource[] = [];
    for await (const file of findDayFiles(path, strays, signal)) files.push({ path: file, root: path });
    if (files.length === 0) await assertDownloadFolder(path, access.files, signal);
    return files;
  }
  if (stats) return [{ path, root: undefined }];
  if (!isPathGlob(path)) throw usageError(`${path}: ${whyNotFound(path, 'no such file or folder')}`);
  const base = globBaseFolder(path);
  const matches = createPathMatcher(path);
  const matching: ConvertSource[] = [];
  if ((await statIfExists(base))?.isDirectory()) {
    for await (const file of findDayFiles(base, strays, signal, matches))
      matching.push({ path: file, root: base });
  }
  if (matching.length === 0) throw usageError(`${path}: matches no ${DAY_FILE_EXTENSION} file`);
  return matching;
}

async function findInStore(
  location: string,
  { files, store }: SourceAccess,
  strays: StrayFiles,
  signal: AbortSignal,
): Promise<readonly ConvertSource[]> {
  if (hasObjectKey(location) && (await files.stat(location, signal)))
    return [{ path: location, root: undefined }];
  const isGlob = isPathGlob(location);
  const prefix = location.replace(/\/+$/, '');
  const root = isGlob ? globBaseFolder(location) : prefix;
  const matches = createPathMatcher(location);
  const under: ConvertSource[] = [];
  const matching: ConvertSource[] = [];
  for await (const { path, info } of listDayObjects(root, store, signal)) {
    const isUnder = path.startsWith(`${prefix}/`);
    if (!isUnder && !(isGlob && matches(path))) continue;
    if (await strays.has(relativeLocation(root, path) ?? '', (other) => joinLocation(root, other), signal))
      continue;
    if (isUnder) under.push({ path, root: prefix, info });
    else matching.push({ path, root, info });
  }
  // As on a disk, a prefix of this literal name takes precedence over matches of the glob.
  if (under.length > 0) return under;
  if (matching.length > 0) return matching;
  if (isGlob) throw usageError(`${location}: matches no ${DAY_FILE_EXTENSION} object`);
  await assertDownloadFolder(location, files, signal);
  return [];
}

/**
 * Checks a folder or prefix without day files: they may all be converted and deleted, but then a manifest says so.
 * @throws usage error.
 */
async function assertDownloadFolder(location: string, files: Files, signal: AbortSignal): Promise<void> {
  const folder = isObjectLocation(location) ? location.replace(/\/+$/, '') : resolve(location);
  if ((await createDestinationFinder(files, signal)(folder)) === undefined)
    throw usageError(`${location}: ${NOTHING_KNOWN}`);
}

async function* listDayObjects(
  prefix: string,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): AsyncGenerator<Pick<ConvertSource, 'path' | 'info'>> {
  const destination = await openDestination(prefix, store, signal);
  try {
    for await (const page of destination.list('', signal)) {
      for (const { path, bytes, etag } of page) {
        if (!path.endsWith(DAY_FILE_EXTENSION)) continue;
        yield { path: destination.locate(path), info: bytes === undefined ? undefined : { bytes, etag } };
      }
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

/** Lists the day files below a folder that match, without those that a search passes over. */
async function* findDayFiles(
  folder: string,
  strays: StrayFiles,
  signal: AbortSignal,
  matches: (path: string) => boolean = () => true,
): AsyncGenerator<string> {
  for await (const path of listDayFiles(folder, signal)) {
    if (!matches(path)) continue;
    const inFolder = relative(folder, path).replaceAll(sep, '/');
    if (!(await strays.has(inFolder, (other) => join(folder, other), signal))) yield path;
  }
}

/**
 * Follows links to files, but not to folders, which may form cycles. A folder whose name could not be decoded
 * is yielded itself, and fails in place of its files.
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

/** A selected file. */
export interface SelectedSource {
  /** A location. */
  readonly path: string;
  /** Undefined if neither its name nor a record identifies it. */
  readonly file: DayFile | undefined;
  /** The command knows that no such file is there. */
  readonly isAbsent?: boolean | undefined;
}

/** Whether a file is left out. */
export type IsExcluded = (path: string, file: DayFile | undefined) => Promise<boolean>;

/**
 * Decides which files are left out. It sees all selected ones first, of all shards.
 * @param series the selected series, also those without a file of the selected days; each at least once.
 */
export type SourceExclusion = (
  selected: readonly SelectedSource[],
  series: readonly SeriesNames[],
) => Promise<IsExcluded>;

/** Restricts the sources to convert. */
export interface SourceSelection {
  /** Undefined for all. */
  readonly selection?: DayFileSelection | undefined;
  /** Leaves out sources by what their audits found. */
  readonly exclusion?: SourceExclusion | undefined;
}

/** How files are identified. */
interface SourceLookup {
  readonly findDayFile: FindDayFile;
  readonly files: Files;
  readonly signal: AbortSignal;
}

/**
 * Filters the sources by a selection. One whose day file is unknown has the data type of its header.
 * @throws TickhaulError as `DayFileFilter.assertMatched`, and `openDayFileFilter`.
 */
export async function selectSources(
  sources: readonly ConvertSource[],
  { selection = {}, exclusion }: SourceSelection,
  { findDayFile, files, signal }: SourceLookup,
): Promise<readonly ConvertSource[]> {
  if (selectsAll(selection) && exclusion === undefined) return sources;
  const found: (readonly [source: ConvertSource, file: DayFile | undefined])[] = [];
  for (const source of sources) found.push([source, await findDayFile(source.path)]);
  const filter = await openDayFileFilter(selection, () => found.flatMap(([, file]) => file ?? []));
  const selected: typeof found = [];
  for (const [source, file] of found) {
    const dataType =
      file || !filter.selectsTypesOnly
        ? undefined
        : await selectType(source, selection.dataTypes ?? [], filter, files, signal);
    const isSelected = file ? filter.hasDay(file) : dataType !== undefined || !filter.isSelective;
    if (isSelected) selected.push([{ ...source, dataType }, file]);
  }
  filter.assertMatched();
  const isExcluded = await exclusion?.(
    selected.map(([{ path }, file]) => ({ path, file })),
    found.flatMap(([, file]) => (file && filter.hasSeries(file) ? file : [])),
  );
  const remaining: ConvertSource[] = [];
  for (const [source, file] of selected)
    if (filter.isInShard(file) && !(await isExcluded?.(source.path, file))) remaining.push(source);
  return remaining;
}

/**
 * The selected data type that the header of a file may be of; undefined for none. A file without a header has the only
 * selected type.
 */
async function selectType(
  { path }: ConvertSource,
  selected: readonly string[],
  filter: DayFileFilter,
  files: Files,
  signal: AbortSignal,
): Promise<string | undefined> {
  const inferred = await readDataTypeFromHeader(files, path, signal);
  const possible =
    inferred === undefined
      ? selected.length === 1
        ? selected.filter(isDataType)
        : []
      : typesWithColumnsOf(inferred);
  const unknown = { exchange: '', symbol: '', day: 0 as Day };
  return possible.find((dataType) => filter.hasSeries({ ...unknown, dataType }));
}

const GLOB_CHARACTERS = /[*?[{]/;

/** Whether a path contains glob characters. */
function isPathGlob(path: string): boolean {
  return GLOB_CHARACTERS.test(path);
}

/** The folder that contains all possible matches of a glob. */
function globBaseFolder(glob: string): string {
  const parts = toForwardSlashes(glob).split('/');
  const plain = parts.slice(0, parts.findIndex(isPathGlob));
  return plain.length === 0 ? '.' : plain.join('/') || '/';
}

/**
 * Matches paths below `globBaseFolder`: `*` and `?` match within a name, `**` across folders, `[a-z]` and
 * `[!a-z]` one character, `{a,b}` either text.
 */
function createPathMatcher(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^${globToPattern(toForwardSlashes(normalize(glob)))}$`, 'su');
  return (path) => pattern.test(toForwardSlashes(join(path)));
}

const GLOB_TOKENS = /\*\*\/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\{[^{}]*\}|[\s\S]/gu;

function globToPattern(glob: string): string {
  return (glob.match(GLOB_TOKENS) ?? []).map(tokenToPattern).join('');
}

function tokenToPattern(token: string): string {
  if (token === '**/') return '(?:[^/]+/)*';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.length > 1 && token.startsWith('[')) {
    const inner = token.slice(1, -1).replace(/^[!^]/, '');
    const negated = inner.length < token.length - 2 ? '^' : '';
    return `(?!/)[${negated}${inner.replace(/[\\\][&~|^]/g, '\\$&')}]`;
  }
  if (token.length > 1 && token.startsWith('{')) {
    return `(?:${token.slice(1, -1).split(',').map(globToPattern).join('|')})`;
  }
  return token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace('\\-', '-');
}

function toForwardSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
