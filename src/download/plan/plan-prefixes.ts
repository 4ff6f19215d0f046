import { posix } from 'node:path';
import { DATA_TYPES } from '../../day-files/data-types.js';
import { addDays, type Day } from '../../day-files/day.js';
import { DAY_FILE_EXTENSION, type DayFile } from '../../day-files/day-file.js';
import { dayFileName, type Layout } from '../../day-files/layout.js';
import { layoutPrefixes } from '../../day-files/layout-prefixes.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { ManifestScope } from '../../store/manifest/manifest.js';
import type { ConvertSetting, Selection } from '../download-options.js';
import { readExportedUntil, type SelectedRange, type Series, selectRange } from './select-series.js';

/** A listing needs a request per prefix, and one per thousand files. */
const MAX_PREFIXES = 1000;
/** Days before the plan whose records are used to estimate sizes. */
const HISTORY_DAYS = 31;
const KNOWN_TYPES: ReadonlySet<string> = new Set(DATA_TYPES);

/** Prefixes of all paths of a plan. */
export function planPrefixes(
  exchange: string,
  series: readonly Series[],
  { from, to }: SelectedRange,
  layout: Layout,
  convert: ConvertSetting | undefined,
): readonly string[] {
  const dataTypes = new Set(convert?.outputSelection?.computed.map(({ name }) => name));
  const symbols = new Set<string>();
  for (const { dataType, symbol } of series) {
    dataTypes.add(dataType);
    // An exchange may have 270,000 symbols; above the limit, no prefix has a symbol.
    if (symbols.size <= MAX_PREFIXES) symbols.add(symbol);
  }
  const files = { exchange, dataTypes: [...dataTypes], symbols: [...symbols], from, to };
  return layoutPrefixes(layout, files, MAX_PREFIXES);
}

/**
 * Prefixes of the paths of a list: the paths if they are few, else their folders, else their common prefix.
 */
export function listPrefixesOfPaths(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_PREFIXES) return paths;
  const folders = new Set(paths.map((path) => `${posix.dirname(path)}/`));
  if (folders.size <= MAX_PREFIXES && !folders.has('./')) return [...folders];
  return [paths.reduce(commonPrefix)];
}

/**
 * The records needed to plan a selection and to estimate its sizes.
 * @throws usage error for contradicting or missing days.
 */
export function selectionScope(
  selection: Omit<Selection, 'symbols'>,
  { id, datasets }: ExchangeRecord,
): ManifestScope {
  // The plan rejects a record without datasets later.
  if (!datasets) return { exchanges: [id] };
  // A function, unlike a template, may give files of different exchanges the same path.
  if (typeof selection.layout === 'function') return {};
  const { from, to } = selectRange(selection, readExportedUntil(datasets));
  const { types } = selection;
  const areTypesKnown = types.every((type) => KNOWN_TYPES.has(type));
  return {
    exchanges: [id],
    dataTypes: areTypesKnown ? types : undefined,
    from: addDays(from, -HISTORY_DAYS),
    to,
  };
}

/**
 * The records needed to plan a list: for each data type, from its first to its last day. All records if a file name does not
 * identify its day file, since its path may be recorded for another one.
 */
export function listScopesOfFiles(
  files: Iterable<{ readonly file: DayFile; readonly path: string }>,
): readonly ManifestScope[] {
  const scopes = new Map<string, ManifestScope & { from: Day; to: Day }>();
  for (const { file, path } of files) {
    if (posix.basename(path) !== `${dayFileName(file)}${DAY_FILE_EXTENSION}`) return [{}];
    const { exchange, dataType, day } = file;
    const key = `${exchange} ${dataType}`;
    const scope = scopes.get(key);
    const from = addDays(day, -HISTORY_DAYS);
    const to = addDays(day, 1);
    if (!scope) scopes.set(key, { exchanges: [exchange], dataTypes: [dataType], from, to });
    else if (from < scope.from) scope.from = from;
    else if (to > scope.to) scope.to = to;
  }
  return [...scopes.values()];
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
