import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import { createGlobMatcher, isGlob, toDatasetSymbol } from './dataset-symbol.js';
import type { DayFile } from './day-file.js';

/** Which of the day files that are there are meant; undefined stands for all. */
export interface SeriesSelection {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** Dataset symbols and globs. */
  readonly symbols?: readonly string[] | undefined;
}

/** Picks day files by name, and remembers what names there were. */
export interface SeriesFilter {
  matches(file: DayFile): boolean;
  /** @throws usage error for a name, or a glob, that no day file had; with the nearest names. */
  assertAllMatched(): void;
}

/** Whether a selection leaves anything out. */
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
      // All three are asked: each has to learn the name.
      const [a, b, c] = [names[0].matches(exchange), names[1].matches(dataType), names[2].matches(symbol)];
      return a && b && c;
    },
    assertAllMatched() {
      for (const each of names) each.assertAllMatched();
    },
  };
}

interface NameFilter {
  matches(name: string): boolean;
  assertAllMatched(): void;
}

/** @param normal one form of a name for all its spellings. */
function createNameFilter(
  what: string,
  wanted: readonly string[] | undefined,
  normal: (text: string) => string,
): NameFilter {
  if (wanted === undefined || wanted.includes('all'))
    return { matches: () => true, assertAllMatched: () => {} };
  const tests = wanted.map((text) => ({ text, matches: createNameTest(normal(text)), found: false }));
  const known = new Map<string, boolean>();
  const look = (name: string): boolean => {
    let isWanted = false;
    for (const test of tests) {
      if (!test.matches(normal(name))) continue;
      test.found = true;
      isWanted = true;
    }
    known.set(name, isWanted);
    return isWanted;
  };
  return {
    matches: (name) => known.get(name) ?? look(name),
    assertAllMatched() {
      const lost = tests.find(({ found }) => !found);
      if (lost === undefined) return;
      const near = isGlob(lost.text) ? '' : didYouMean(lost.text, known.keys());
      throw usageError(`there is no day file of ${what} "${lost.text}"${near}`);
    },
  };
}

function createNameTest(wanted: string): (name: string) => boolean {
  return isGlob(wanted) ? createGlobMatcher(wanted) : (name) => name === wanted;
}
