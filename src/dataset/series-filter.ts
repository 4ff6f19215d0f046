import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import type { DayFile } from './day-file.js';
import { globMatcher, isGlob, toDatasetSymbol } from './symbols.js';

/** Which of the day files that are there are meant; undefined stands for all. */
export interface SeriesSelection {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** Dataset symbols and globs. */
  readonly symbols?: readonly string[] | undefined;
}

/** Picks day files by name, and remembers what names there were. */
export interface SeriesFilter {
  wants(file: DayFile): boolean;
  /** @throws usage error for a name, or a glob, that no day file had; with the nearest names. */
  check(): void;
}

/** Whether a selection leaves anything out. */
export function isNarrow({ exchanges, dataTypes, symbols }: SeriesSelection): boolean {
  return [exchanges, dataTypes, symbols].some((names) => names !== undefined && !names.includes('all'));
}

export function createSeriesFilter(selection: SeriesSelection): SeriesFilter {
  const names = [
    createNames('exchange', selection.exchanges, (text) => text.toLowerCase()),
    createNames('data type', selection.dataTypes, (text) => text.toLowerCase()),
    createNames('symbol', selection.symbols, toDatasetSymbol),
  ] as const;
  return {
    wants({ exchange, dataType, symbol }) {
      // All three are asked: each has to learn the name.
      const [a, b, c] = [names[0].wants(exchange), names[1].wants(dataType), names[2].wants(symbol)];
      return a && b && c;
    },
    check() {
      for (const each of names) each.check();
    },
  };
}

interface Names {
  wants(name: string): boolean;
  check(): void;
}

/** @param normal one form of a name for all its spellings. */
function createNames(
  what: string,
  wanted: readonly string[] | undefined,
  normal: (text: string) => string,
): Names {
  if (wanted === undefined || wanted.includes('all')) return { wants: () => true, check: () => {} };
  const tests = wanted.map((text) => ({ text, matches: nameTest(normal(text)), found: false }));
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
    wants: (name) => known.get(name) ?? look(name),
    check() {
      const lost = tests.find(({ found }) => !found);
      if (lost === undefined) return;
      const near = isGlob(lost.text) ? '' : didYouMean(lost.text, known.keys());
      throw usageError(`there is no day file of ${what} "${lost.text}"${near}`);
    },
  };
}

function nameTest(wanted: string): (name: string) => boolean {
  return isGlob(wanted) ? globMatcher(wanted) : (name) => name === wanted;
}
