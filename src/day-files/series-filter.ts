import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import {
  createGlobMatcher,
  GROUPED_SYMBOLS,
  isGlob,
  resolveSymbolLists,
  type SymbolChoice,
  toDatasetSymbol,
} from './dataset-symbol.js';
import { type Day, formatDay } from './day.js';
import type { DayFile } from './day-file.js';
import { type DaySelection, isDayRestricted, type SelectedDays, selectDays } from './day-selection.js';
import { createShardTest, type Shard } from './shard.js';

/**
 * Selects existing day files, as the user wrote it (docs/reference/selection.md). What is undefined selects all.
 */
export interface DayFileSelection {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** Dataset symbols, globs, and lists. */
  readonly symbols?: readonly SymbolChoice[] | undefined;
  readonly symbolTypes?: readonly string[] | undefined;
  readonly days?: DaySelection | undefined;
  readonly shard?: Shard | undefined;
  /** Called once for each exchange, if symbol types or the last days are selected. @throws TickhaulError. */
  readonly fetchFacts?: ((exchange: string) => Promise<SelectionFacts>) | undefined;
}

/** Whether a selection leaves out no file, so that files need not be identified. */
export function selectsAll({
  exchanges,
  dataTypes,
  symbols,
  symbolTypes,
  days,
  shard,
}: DayFileSelection): boolean {
  const parts = [exchanges, dataTypes, symbols, symbolTypes, shard];
  return parts.every((part) => part === undefined) && !isDayRestricted(days ?? {});
}

/** What a selection needs of an exchange record. */
export interface SelectionFacts {
  /** The first day that is not exported yet. */
  readonly exportedUntil: Day;
  /** The type of a dataset symbol: `spot`, `perpetual` … */
  typeOf(symbol: string): string | undefined;
}

/** Selects day files, and remembers what it has seen, to explain a selection that excludes everything. */
export interface DayFileFilter {
  /** Whether exchange, data type, symbol and symbol type of a file are selected. */
  hasSeries(file: DayFile): boolean;
  /** Whether the series and the day of a file are selected, in any shard. */
  hasDay(file: DayFile): boolean;
  /** Whether the shard has the file. One that nothing identifies is in the first shard. */
  isInShard(file: DayFile | undefined): boolean;
  /** Whether a file is selected. One that nothing identifies is, unless series or days are selected. */
  matches(file: DayFile | undefined): boolean;
  /** The selected days of an exchange. */
  daysOf(exchange: string): SelectedDays;
  /** Whether files that nothing identifies are left out, since series or days are selected. */
  readonly isSelective: boolean;
  /** Whether data types are all that is selected: a file's header tells its type. */
  readonly selectsTypesOnly: boolean;
  /**
   * Call it after all files were passed to the filter.
   * @param selectedDays number of selected days, if days without a file count too.
   * @throws TickhaulError `usage` for a name that no file has, and for series of which there is no file, with the nearest
   * names or what there is; `unavailable` if there are files of the series, but none of the days.
   */
  assertMatched(selectedDays?: number): void;
}

/**
 * Opens the filter of a selection.
 * @param listFiles returns the existing day files; called only if the meaning of the selection depends on them.
 * @throws errors of `fetchFacts`.
 */
export async function openDayFileFilter(
  selection: DayFileSelection,
  listFiles: () => Iterable<DayFile>,
): Promise<DayFileFilter> {
  const { days = {}, shard } = selection;
  const exchanges = createStage(
    'exchange',
    'exchange',
    selection.exchanges,
    toLowerCase,
    (file) => file.exchange,
  );
  const facts = await fetchAllFacts(selection, listFiles, exchanges);
  const symbols = selection.symbols && resolveSymbolLists(selection.symbols, () => listSymbols(listFiles()));
  const typeOf = ({ exchange, symbol }: DayFile): string => facts.get(exchange)?.typeOf(symbol) ?? 'unknown';
  const stages = [
    exchanges,
    createStage('type', 'data type', selection.dataTypes, toLowerCase, (file) => file.dataType),
    createStage('symbol', 'symbol', symbols, toDatasetSymbol, (file) => file.symbol, isSingleSymbol),
    createStage('symbol-type', 'symbol type', selection.symbolTypes, toLowerCase, typeOf),
  ].filter((stage) => stage !== undefined);
  return createFilter(stages, shard, isDayRestricted(days) ? days : undefined, facts);
}

/** Facts of the selected exchanges that have files, if the selection needs them. */
async function fetchAllFacts(
  { symbolTypes, days, fetchFacts }: DayFileSelection,
  listFiles: () => Iterable<DayFile>,
  stage: NameStage | undefined,
): Promise<ReadonlyMap<string, SelectionFacts>> {
  const facts = new Map<string, SelectionFacts>();
  if (symbolTypes === undefined && days?.last === undefined) return facts;
  if (!fetchFacts) throw new Error('a selection of symbol types or last days without exchange records');
  const names = new Set<string>();
  for (const { exchange } of listFiles()) names.add(exchange);
  for (const exchange of names)
    if (stage?.isSelected(exchange) ?? true) facts.set(exchange, await fetchFacts(exchange));
  return facts;
}

function* listSymbols(files: Iterable<DayFile>): Generator<string> {
  for (const { symbol } of files) yield symbol;
}

/** What `all` means for symbols: grouped ones repeat the rows of others. */
function isSingleSymbol(symbol: string): boolean {
  return !GROUPED_SYMBOLS.has(symbol);
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

function createFilter(
  stages: readonly NameStage[],
  shard: Shard | undefined,
  days: DaySelection | undefined,
  facts: ReadonlyMap<string, SelectionFacts>,
): DayFileFilter {
  const isInShard = createShardTest(shard);
  const daysByExchange = new Map<string, SelectedDays>();
  const daysOf = (exchange: string): SelectedDays => {
    const key = days?.last === undefined ? '' : exchange;
    const known =
      daysByExchange.get(key) ?? selectDays(days ?? {}, facts.get(exchange)?.exportedUntil ?? NEVER);
    daysByExchange.set(key, known);
    return known;
  };
  const seen = {
    files: 0,
    ofSeries: 0,
    ofDays: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  };
  const hasSeries = (file: DayFile): boolean => {
    seen.files++;
    // Call all stages, since each has to remember the name.
    let isSelected = true;
    for (const stage of stages) isSelected = stage.matches(file, isSelected) && isSelected;
    if (!isSelected) return false;
    seen.ofSeries++;
    seen.first = Math.min(seen.first, file.day);
    seen.last = Math.max(seen.last, file.day);
    return true;
  };
  const hasDay = (file: DayFile): boolean => {
    if (!hasSeries(file) || (days && !daysOf(file.exchange).has(file.day))) return false;
    seen.ofDays++;
    return true;
  };
  const isSelective = stages.some((stage) => stage.isSelective) || days !== undefined;
  return {
    hasSeries,
    hasDay,
    isInShard,
    matches: (file) => (file === undefined ? !isSelective : hasDay(file)) && isInShard(file),
    daysOf,
    isSelective,
    selectsTypesOnly: isSelective && !days && stages.every((stage) => stage.flag.startsWith('--type ')),
    assertMatched(selectedDays = seen.ofDays) {
      for (const stage of stages) stage.assertAllMatched();
      if (seen.files === 0) return;
      const index = stages.findIndex((stage) => stage.passed === 0);
      const excluding = stages[index];
      if (excluding) throw excluding.createError(stages.slice(0, index));
      if (!days || seen.ofSeries === 0 || selectedDays > 0) return;
      const [first, last] = [seen.first, seen.last].map((day) => formatDay(day as Day));
      throw new TickhaulError(
        'unavailable',
        `${nameDayFlag(days)}: no day file of the selected series is of these days; there are ${first === last ? first : `days from ${first} to ${last}`}`,
      );
    },
  };
}

/** The end of the export of an exchange without files. */
const NEVER = 0 as Day;

/** The flag that selects days, for errors. */
function nameDayFlag({ date, last, from, to, free }: DaySelection): string {
  if (date) return '--date';
  if (last !== undefined) return `--last ${last}d`;
  if (from !== undefined) return to === undefined ? '--from' : '--from and --to';
  return to !== undefined ? '--to' : free ? '--free' : '--weekdays';
}

/** The names of one kind that are selected, and those that files have. */
interface NameStage {
  /** The flag, with its values. */
  readonly flag: string;
  /** Whether files without this name are left out. */
  readonly isSelective: boolean;
  /** Number of files that this stage and those before it select. */
  readonly passed: number;
  isSelected(name: string): boolean;
  /** @param isReached whether the earlier stages select the file. */
  matches(file: DayFile, isReached: boolean): boolean;
  /** @throws usage error for a selected name or glob that no file has. */
  assertAllMatched(): void;
  /** The error if no file passed. @param earlier the stages before. */
  createError(earlier: readonly NameStage[]): TickhaulError;
}

/**
 * @param normalize maps all spellings of a name to one. @param isInAll whether `all` means a name; by default any.
 * @returns undefined if all names are selected.
 */
function createStage(
  flag: string,
  label: string,
  selected: readonly string[] | undefined,
  normalize: (text: string) => string,
  nameOf: (file: DayFile) => string,
  isInAll?: (name: string) => boolean,
): NameStage | undefined {
  const hasAll = selected?.includes(ALL) === true;
  if (selected === undefined || (hasAll && !isInAll)) return undefined;
  const tests = selected.map((text) => ({
    text,
    matches: text === ALL && isInAll ? isInAll : createNameTest(normalize(text)),
    hasMatched: text === ALL,
  }));
  const results = new Map<string, boolean>();
  const reached = new Set<string>();
  let passed = 0;
  const test = (name: string): boolean => {
    let isSelected = false;
    for (const each of tests) {
      if (!each.matches(normalize(name))) continue;
      each.hasMatched = true;
      isSelected = true;
    }
    results.set(name, isSelected);
    return isSelected;
  };
  const isSelected = (name: string): boolean => results.get(name) ?? test(name);
  return {
    flag: `--${flag} ${selected.join(',')}`,
    isSelective: !hasAll,
    get passed() {
      return passed;
    },
    isSelected,
    matches(file, isReached) {
      const name = nameOf(file);
      const isMatch = isSelected(name);
      if (isReached) {
        if (isMatch) passed++;
        else reached.add(name);
      }
      return isMatch;
    },
    assertAllMatched() {
      const unmatched = tests.find(({ hasMatched }) => !hasMatched);
      if (unmatched === undefined) return;
      const hint = isGlob(unmatched.text) ? '' : didYouMean(unmatched.text, results.keys());
      // A list that can be read was replaced by its symbols.
      const list =
        label === 'symbol' && unmatched.text.startsWith('@')
          ? `, and no readable file "${unmatched.text.slice(1)}" with a list`
          : '';
      throw usageError(
        `--${flag}: there is no day file of ${label} "${unmatched.text}"${list}${hint || describeNames(results.keys())}`,
      );
    },
    createError: (earlier) =>
      usageError(
        `--${flag} ${selected.join(',')}: no day file of ${earlier.map((stage) => stage.flag).join(' ')} has this ${label}${describeNames(reached)}`,
      ),
  };
}

const ALL = 'all';
const MAX_NAMES = 5;

/** `; there are a, b and 3 more`, in alphabetical order. */
function describeNames(names: Iterable<string>): string {
  const sorted = [...names].sort();
  const others = sorted.length - MAX_NAMES;
  if (sorted.length === 0) return '';
  const shown = sorted.slice(0, MAX_NAMES).join(', ');
  return `; there ${sorted.length === 1 ? 'is' : 'are'} ${shown}${others > 0 ? ` and ${others} more` : ''}`;
}

function createNameTest(selected: string): (name: string) => boolean {
  return isGlob(selected) ? createGlobMatcher(selected) : (name) => name === selected;
}
