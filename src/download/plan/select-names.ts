// Data types and symbols of a selection, found among those of an exchange's record.
import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { dataTypeHint } from '../../dataset/data-type-hints.js';
import { createGlobMatcher, GROUPED_SYMBOLS, isGlob, toDatasetSymbol } from '../../dataset/dataset-symbol.js';
import type { DatasetSymbol } from '../../service/records/fetch-records.js';
import type { Selection } from '../download-options.js';

/**
 * Each symbol once: two that differ in nothing but case would share a path. The one in upper case, as dataset symbols
 * are, beats the others, and else the first.
 */
export function removeCaseDuplicates(symbols: readonly DatasetSymbol[]): readonly DatasetSymbol[] {
  const byName = new Map<string, DatasetSymbol>();
  for (const symbol of symbols) {
    const name = toDatasetSymbol(symbol.id);
    if (symbol.id === name ? byName.get(name)?.id !== name : !byName.has(name)) byName.set(name, symbol);
  }
  return byName.size === symbols.length ? symbols : [...byName.values()];
}

/**
 * The data types as the record writes them; no list where it is `all`.
 * @throws usage error for one that no symbol has, with the nearest, or all.
 */
export function selectTypes(
  wanted: readonly string[],
  symbols: readonly DatasetSymbol[],
  exchange: string,
): { readonly list: readonly string[] | undefined } {
  if (wanted.length === 0) throw usageError('no data type selected: give --type trades, a list, or all');
  if (wanted.includes('all')) return { list: undefined };
  const known = new Set<string>();
  for (const symbol of symbols) for (const type of symbol.dataTypes) known.add(type);
  const list = wanted.map((type) => {
    if (known.has(type)) return type;
    // A data type in another case is a slip of the hand, not another type.
    for (const name of known) if (name.toLowerCase() === type.toLowerCase()) return name;
    throw usageError(
      `unknown data type "${type}" for ${exchange}${dataTypeHint(type) || didYouMean(type, known) || `; it has ${[...known].sort().join(', ')}`}`,
    );
  });
  return { list: [...new Set(list)] };
}

export interface SymbolSelection {
  readonly symbols: readonly DatasetSymbol[];
  /** Those that were named, and not found by a glob or `all`. */
  readonly named: ReadonlySet<DatasetSymbol>;
}

/** @throws usage error for a symbol, glob or symbol type that the record lacks, with the nearest. */
export function selectSymbols(
  selection: Selection,
  symbols: readonly DatasetSymbol[],
  exchange: string,
): SymbolSelection {
  if (selection.symbols.length === 0)
    throw usageError('no symbol selected: give --symbol BTCUSDT, a list, a glob or all');
  const named = new Set<DatasetSymbol>();
  const found = new Set<DatasetSymbol>();
  const byId = createSymbolIndex(symbols);
  for (const text of selection.symbols) {
    const id = toDatasetSymbol(text);
    const exact = text === 'all' ? undefined : byId().get(id);
    if (exact) {
      named.add(exact);
      found.add(exact);
    } else {
      const matches = matchSymbols(text, id, symbols);
      if (matches.length === 0) throw createUnknownSymbolError(text, id, byId(), exchange);
      for (const symbol of matches) found.add(symbol);
    }
  }
  return { symbols: filterBySymbolType([...found], selection.symbolTypes ?? [], symbols, exchange), named };
}

/** Symbols by their normalized id, worked out when the first one is looked up. */
function createSymbolIndex(symbols: readonly DatasetSymbol[]): () => ReadonlyMap<string, DatasetSymbol> {
  let index: ReadonlyMap<string, DatasetSymbol> | undefined;
  return () => {
    index ??= new Map(symbols.map((symbol) => [toDatasetSymbol(symbol.id), symbol]));
    return index;
  };
}

function matchSymbols(text: string, id: string, symbols: readonly DatasetSymbol[]): readonly DatasetSymbol[] {
  if (text === 'all') return symbols.filter((symbol) => !GROUPED_SYMBOLS.has(symbol.id));
  if (!isGlob(text)) return [];
  const matches = createGlobMatcher(id);
  return symbols.filter((symbol) => matches(toDatasetSymbol(symbol.id)));
}

function createUnknownSymbolError(
  text: string,
  id: string,
  known: ReadonlyMap<string, unknown>,
  exchange: string,
): Error {
  if (isGlob(text))
    return usageError(`no symbol of ${exchange} matches "${text}"; see: tickhaul symbols ${exchange}`);
  const near = didYouMean(id, known.keys()) || `; see: tickhaul symbols ${exchange}`;
  return usageError(`unknown symbol "${text}" for ${exchange}${near}`);
}

function filterBySymbolType(
  found: readonly DatasetSymbol[],
  wanted: readonly string[],
  all: readonly DatasetSymbol[],
  exchange: string,
): readonly DatasetSymbol[] {
  if (wanted.length === 0) return found;
  const known = new Set(all.flatMap((symbol) => symbol.type ?? []));
  for (const type of wanted) {
    if (!known.has(type)) {
      throw usageError(
        `unknown symbol type "${type}" for ${exchange}${didYouMean(type, known)}; it has ${[...known].sort().join(', ')}`,
      );
    }
  }
  return found.filter((symbol) => symbol.type !== undefined && wanted.includes(symbol.type));
}
