import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import {
  createGlobMatcher,
  isGlob,
  resolveSymbolLists,
  type SymbolChoice,
  toDatasetSymbol,
} from './dataset-symbol.js';
import type { DayFile } from './day-file.js';

/** Selects existing day files; undefined selects all. */
export interface SeriesSelection {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** Dataset symbols and globs. */
  readonly symbols?: readonly string[] | undefined;
}

/** A selection as the user wrote it: some symbols may be lists. */
export interface RequestedSeries extends Omit<SeriesSelection, 'symbols'> {
  readonly symbols?: readonly SymbolChoice[] | undefined;
}

/** Resolves the lists of a selection. @param listFiles returns the existing day files; called only for lists. */
export function resolveSeries<T extends RequestedSeries>(
  selection: T,
  listFiles: () => Iterable<DayFile>,
): Omit<T, 'symbols'> & SeriesSelection {
  const { symbols } = selection;
  return { ...selection, symbols: symbols && resolveSymbolLists(symbols, () => listSymbols(listFiles())) };
}

function* listSymbols(files: Iterable<DayFile>): Generator<string> {
  for (const { symbol } of files) yield symbol;
}

/** Selects day files by name and remembers the names that it has seen. */
export interface SeriesFilter {
  matches(file: DayFile): boolean;
  /** @throws usage error with the nearest names if a selected name or glob matched no day file. */
  assertAllMatched(): void;
}

/** Whether the selection excludes anything. */
export function isRestrictive({ exchanges, dataTypes, symbols }: SeriesSelection): boolean {
  return [exchanges, dataTypes, symbols].some((names) => names !== undefined && !names.includes('all'));
}

export function createSeriesFilter(selection: SeriesSelection): SeriesFilter {
  const names = [
    createNameFilter('exchange', selection.exchanges, (text) => text.toLowerCase()),
    createNameFilter('data type', selection.dataTypes, (text) => text.toLowerCase()),
    createNameFilter('symbol', selection.symbols, toDatasetSymbol),
  ] as const;
  return {
    matches({ exchange, dataType, symbol }) {
      // Call all three, since each has to remember the name.
      const [a, b, c] = [names[0].matches(exchange), names[1].matches(dataType), names[2].matches(symbol)];
      return a && b && c;
    },
    assertAllMatched() {
      for (const name of names) name.assertAllMatched();
    },
  };
}

interface NameFilter {
  matches(name: string): boolean;
  assertAllMatched(): void;
}

/** @param normalize maps all spellings of a name to one. */
function createNameFilter(
  label: string,
  selected: readonly string[] | undefined,
  normalize: (text: string) => string,
): NameFilter {
  if (selected === undefined || selected.includes('all'))
    return { matches: () => true, assertAllMatched: () => {} };
  const tests = selected.map((text) => ({
    text,
    matches: createNameTest(normalize(text)),
    hasMatched: false,
  }));
  const resultsByName = new Map<string, boolean>();
  const test = (name: string): boolean => {
    let isSelected = false;
    for (const each of tests) {
      if (!each.matches(normalize(name))) continue;
      each.hasMatched = true;
      isSelected = true;
    }
    resultsByName.set(name, isSelected);
    return isSelected;
  };
  return {
    matches: (name) => resultsByName.get(name) ?? test(name),
    assertAllMatched() {
      const unmatched = tests.find(({ hasMatched }) => !hasMatched);
      if (unmatched === undefined) return;
      const hint = isGlob(unmatched.text) ? '' : didYouMean(unmatched.text, resultsByName.keys());
      // A list that can be read was replaced by its symbols.
      const list =
        label === 'symbol' && unmatched.text.startsWith('@')
          ? `, and no readable file "${unmatched.text.slice(1)}" with a list`
          : '';
      throw usageError(`there is no day file of ${label} "${unmatched.text}"${list}${hint}`);
    },
  };
}

function createNameTest(selected: string): (name: string) => boolean {
  return isGlob(selected) ? createGlobMatcher(selected) : (name) => name === selected;
}
