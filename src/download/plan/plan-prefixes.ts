import { posix } from 'node:path';
import { DATA_TYPES } from '../../dataset/data-types.js';
import { addDays, type Day } from '../../dataset/day.js';
import { DAY_FILE_EXTENSION, type DayFile } from '../../dataset/day-file.js';
import { dayFileName, type Layout } from '../../dataset/layout.js';
import { layoutPrefixes } from '../../dataset/layout-prefixes.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { ManifestScope } from '../../store/manifest/manifest-scope.js';
import type { ConvertSetting, Selection } from '../download-options.js';
import { readExportedUntil, type SelectedRange, type Series, selectRange } from './select-series.js';

/** A listing costs a request for each, and one for each thousand files that it finds. */
const MAX_PREFIXES = 1000;
/** Days before a plan's, whose records tell how large its files may be. */
const HISTORY_DAYS = 31;
const KNOWN_TYPES: ReadonlySet<string> = new Set(DATA_TYPES);

/** What the paths begin with that a plan asks for. */
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
    // An exchange may have 270,000: with more than there may be prefixes, none is named.
    if (symbols.size <= MAX_PREFIXES) symbols.add(symbol);
  }
  const files = { exchange, dataTypes: [...dataTypes], symbols: [...symbols], from, to };
  return layoutPrefixes(layout, files, MAX_PREFIXES);
}

/** What paths of a list begin with: themselves where they are few, else their folders, else what all have in common. */
export function listPrefixesOfPaths(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_PREFIXES) return paths;
  const folders = new Set(paths.map((path) => `${posix.dirname(path)}/`));
  if (folders.size <= MAX_PREFIXES && !folders.has('./')) return [...folders];
  return [paths.reduce(commonPrefix)];
}

/**
 * The records that a plan of a selection is worked out against, and what they tell of sizes.
 * @throws usage error for contradicting or missing days.
 */
export function selectionScope(selection: Selection, { id, datasets }: ExchangeRecord): ManifestScope {
  // A plan refuses a record without datasets.
  if (!datasets) return { exchanges: [id] };
  // It may name files of another exchange alike, which a template can't.
  if (typeof selection.layout === 'function') return {};
  const { from, to } = selectRange(selection, readExportedUntil(datasets));
  const { types } = selection;
  const isKnown = types.every((type) => KNOWN_TYPES.has(type));
  return { exchanges: [id], dataTypes: isKnown ? types : undefined, from: addDays(from, -HISTORY_DAYS), to };
}

/**
 * The records that a list is worked out against: of each data type, from its first day to its last one. All, where a
 * name doesn't tell its day file: another one may be recorded under it.
 */
export function listScopesOfFiles(
  files: Iterable<{ readonly file: DayFile; readonly path: string }>,
): readonly ManifestScope[] {
  const scopes = new Map<string, ManifestScope & { from: Day; to: Day }>();
  for (const { file, path } of files) {
    if (posix.basename(path) !== `${dayFileName(file)}${DAY_FILE_EXTENSION}`) return [{}];
    const { exchange, dataType, day } = file;
    const key = `${exchange} ${dataType}`;
    const known = scopes.get(key);
    const from = addDays(day, -HISTORY_DAYS);
    const to = addDays(day, 1);
    if (!known) scopes.set(key, { exchanges: [exchange], dataTypes: [dataType], from, to });
    else if (from < known.from) known.from = from;
    else if (to > known.to) known.to = to;
  }
  return [...scopes.values()];
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
