import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { isGlob, toDatasetSymbol } from '../../dataset/dataset-symbol.js';

/**
 * Converts symbols to the spelling of an exchange's record. They may be given in any case, or in the form of
 * day files.
 * @param known symbols of the record; if it lists none, symbols are returned unchanged.
 * @throws usage error for a symbol that the record does not list, with the nearest ones.
 */
export function normalizeSymbols(
  exchange: string,
  requested: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (known.length === 0) return requested;
  const exact = new Set(known);
  const byDatasetSymbol = new Map(known.map((symbol) => [toDatasetSymbol(symbol), symbol]));
  return requested.map((symbol) => {
    const spelling = exact.has(symbol) ? symbol : byDatasetSymbol.get(toDatasetSymbol(symbol));
    if (spelling !== undefined) return spelling;
    if (isGlob(symbol)) {
      throw usageError(`"${symbol}": --source feeds does not accept globs; list each symbol`);
    }
    const near = didYouMean(symbol, known) || `; run tickhaul symbols ${exchange} to list them`;
    throw usageError(`unknown symbol "${symbol}" on ${exchange}${near}`);
  });
}
