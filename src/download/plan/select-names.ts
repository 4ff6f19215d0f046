// Resolution of data types and symbols against an exchange's record.
import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import { dayFileTypeHint } from '../../day-files/data-types.js';
import {
  createGlobMatcher,
  GROUPED_SYMBOLS,
  isGlob,
  resolveKnownSymbols,
  toDatasetSymbol,
} from '../../day-files/dataset-symbol.js';
import type { DatasetSymbol, ExchangeRecord } from '../../service/records/fetch-records.js';
import type { RequestedSelection, Selection } from '../download-options.js';

/**
 * Removes symbols that differ only in case, since they would share a path. The one in upper case, the form of dataset
 * symbols, is kept, else the first.
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
 * Resolves data types to the record's spelling; an undefined list for `all`.
 * @throws usage error for a type that no symbol has, with the nearest or all known types.
 */
export function selectTypes(
  selected: readonly string[],
  symbols: readonly DatasetSymbol[],
  exchange: string,
): { readonly list: readonly string[] | undefined } {
  if (selected.length === 0) throw usageError('no data type selected; use --type trades, a list, or all');
  if (selected.includes('all')) return { list: undefined };
  const known = new Set<string>();
  for (const symbol of symbols) for (const type of symbol.dataTypes) known.add(type);
  const list = selected.map((type) => {
    if (known.has(type)) return type;
    // Accept another case.
    for (const name of known) if (name.toLowerCase() === type.toLowerCase()) return name;
    throw usageError(
      `unknown data type "${type}" for ${exchange}${dayFileTypeHint(type) || didYouMean(type, known) || `; it has ${[...known].sort().join(', ')}`}`,
    );
  });
  return { list: [...new Set(list)] };
}

/** Resolves lists of symbols against an exchange's record. @throws usage error for one that is no symbol and no file. */
export function resolveSelection(selection: RequestedSelection, { id, datasets }: ExchangeRecord): Selection {
  const symbols = (): readonly string[] => (datasets?.symbols ?? []).map((symbol) => symbol.id);
  return { ...selection, symbols: resolveKnownSymbols(selection.symbols, symbols, id) };
}

export interface SymbolSelection {
  readonly symbols: readonly DatasetSymbol[];
  /** Symbols that were selected by name instead of a glob or `all`. */
  readonly named: ReadonlySet<DatasetSymbol>;
}

/** @throws usage error for a symbol, glob or symbol type that the record lacks, with the nearest names. */
export function selectSymbols(
  selection: Selection,
  symbols: readonly DatasetSymbol[],
  exchange: string,
): SymbolSelection {
  if (selection.symbols.length === 0)
    throw usageError('no symbol selected; use --symbol BTCUSDT, a list, a glob or all');
  const named = new Set<DatasetSymbol>();
  const matched = new Set<DatasetSymbol>();
  const byId = createSymbolIndex(symbols);
  for (const text of selection.symbols) {
    const id = toDatasetSymbol(text);
    const exact = text === 'all' ? undefined : byId().get(id);
    if (exact) {
      named.add(exact);
      matched.add(exact);
    } else {
      const matches = matchSymbols(text, id, symbols);
      if (matches.length === 0) throw createUnknownSymbolError(text, id, byId(), exchange);
      for (const symbol of matches) matched.add(symbol);
    }
  }
  return { symbols: filterBySymbolType([...matched], selection.symbolTypes ?? [], symbols, exchange), named };
}

/** Symbols by normalized id, computed on first use. */
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
    return usageError(
      `no symbol on ${exchange} matches "${text}"; run tickhaul symbols ${exchange} to list them`,
    );
  const hint = didYouMean(id, known.keys()) || `; run tickhaul symbols ${exchange} to list them`;
  return usageError(`unknown symbol "${text}" on ${exchange}${hint}`);
}

function filterBySymbolType(
  matched: readonly DatasetSymbol[],
  selected: readonly string[],
  allSymbols: readonly DatasetSymbol[],
  exchange: string,
): readonly DatasetSymbol[] {
  if (selected.length === 0) return matched;
  const known = new Set(allSymbols.flatMap((symbol) => symbol.type ?? []));
  for (const type of selected) {
    if (!known.has(type)) {
      throw usageError(
        `unknown symbol type "${type}" on ${exchange}${didYouMean(type, known)}; it has ${[...known].sort().join(', ')}`,
      );
    }
  }
  const filtered = matched.filter(({ type }) => type !== undefined && selected.includes(type));
  if (filtered.length > 0) return filtered;
  const types = [...new Set(matched.flatMap(({ type }) => type ?? []))].sort().join(', ');
  throw usageError(
    `--symbol-type ${selected.join(',')}: no selected symbol on ${exchange} has this type; they have ${types || 'none'}`,
  );
}
