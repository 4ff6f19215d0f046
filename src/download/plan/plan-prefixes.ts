import { posix } from 'node:path';
import { DATA_TYPES } from '../../day-files/data-types.js';
import { addDays, type Day, formatDay } from '../../day-files/day.js';
import {
  DATE_PLACEHOLDERS,
  DAY_FILE_EXTENSION,
  type DayFile,
  splitTemplate,
  toSafeFileName,
} from '../../day-files/day-file.js';
import type { SelectedDays } from '../../day-files/day-selection.js';
import { dayFileName, type Layout } from '../../day-files/layout.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { ManifestScope } from '../../store/manifest/manifest.js';
import type { ConvertSetting, Selection } from '../download-options.js';
import { type Series, selectRange } from './select-series.js';

/** A listing needs a request per prefix, and one per thousand files. */
const MAX_PREFIXES = 1000;
/** Days before the plan whose records are used to estimate sizes. */
const HISTORY_DAYS = 31;
const KNOWN_TYPES: ReadonlySet<string> = new Set(DATA_TYPES);

/** Prefixes of all paths of a plan. */
export function planPrefixes(
  exchange: string,
  series: readonly Series[],
  { from, to, has }: SelectedDays,
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
  const files = { exchange, dataTypes: [...dataTypes], symbols: [...symbols], from, to, has };
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
  const { from, to } = selectRange(selection, datasets);
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

/** Day files to list: all combinations of the data types and symbols, over a range of days. */
export interface PlannedFileSet {
  readonly exchange: string;
  readonly dataTypes: readonly string[];
  readonly symbols: readonly string[];
  /** UTC days; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Whether a day is among them; by default all. */
  readonly has?: ((day: Day) => boolean) | undefined;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** A date in full, then its coarser forms: the month, the year. */
const DATE_LENGTHS = [DAY_LENGTH, 'YYYY-MM'.length, 'YYYY'.length];

/** Not in the prefix yet, so that all values share it. */
const ANY: readonly string[] = [''];

/**
 * Prefixes of the paths of some day files, as narrow as possible, for listings of object stores. For a layout
 * function, whose paths are unknown, the only prefix is the empty text. The template is cut before the first token that
 * would give too many prefixes, or after the coarser form of a date that does not.
 * @param maxPrefixes upper limit of their number.
 */
export function layoutPrefixes(
  layout: Layout,
  { exchange, dataTypes, symbols, from, to, has = () => true }: PlannedFileSet,
  maxPrefixes: number,
): readonly string[] {
  if (!layout.isTemplate) return [''];
  const days = Array.from({ length: to - from }, (_, index) => (from + index) as Day)
    .filter(has)
    .map(formatDay);
  let [types, names, dates] = [ANY, ANY, ANY];
  const pieces: ((type: string, name: string, date: string) => string)[] = [];
  const fits = (a: readonly string[], b: readonly string[], c: readonly string[]): boolean => {
    const count = a.length * b.length * c.length;
    return count > 0 && count <= maxPrefixes;
  };
  for (const token of splitTemplate(layout.template)) {
    const placeholder = DATE_PLACEHOLDERS.get(token);
    if (placeholder) {
      const { start, end } = placeholder;
      const known = dates[0]?.length ?? 0;
      // The earlier parts of the date must be in the prefix already.
      if (known < start - 1) break;
      const datesOf = (length: number) => [
        ...new Set(days.map((day) => day.slice(0, Math.max(known, length)))),
      ];
      // Listing a month of one series takes a single request, as listing one of its days does.
      const isDayOfSeries = end === DAY_LENGTH && days.length > 1 && types !== ANY && names !== ANY;
      const lengths = (token === '{date}' ? DATE_LENGTHS : [end]).slice(isDayOfSeries ? 1 : 0);
      const length = lengths.find((candidate) => fits(types, names, datesOf(candidate)));
      if (length === undefined) break;
      dates = datesOf(length);
      pieces.push((_, __, date) => date.slice(start, length));
      // Tokens after one that is not there in full cannot be part of a prefix.
      if (length < end) break;
    } else if (token === '{type}') {
      if (!fits(dataTypes, names, dates)) break;
      types = dataTypes;
      pieces.push(toSafeFileName);
    } else if (token === '{symbol}') {
      if (!fits(types, symbols, dates)) break;
      names = symbols;
      pieces.push((_, name) => toSafeFileName(name));
    } else {
      const text = token === '{exchange}' ? toSafeFileName(exchange) : token;
      pieces.push(() => text);
    }
  }
  const prefixes = types.flatMap((type) =>
    names.flatMap((name) => dates.map((date) => pieces.map((piece) => piece(type, name, date)).join(''))),
  );
  // In a path, a folder of dots is escaped, which prefixes do not account for.
  return prefixes.some((prefix) => /(?:^|\/)\./.test(prefix)) ? [''] : prefixes;
}
