import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { isGlob, toDatasetSymbol } from '../../dataset/dataset-symbol.js';

/**
 * Symbols as an exchange's record has them: they may come in any case, and in the form that day files have.
 * @param known what the record lists; none where it doesn't tell, and then symbols stay as they are.
 * @throws usage error for one that it doesn't list, with the nearest.
 */
export function normalizeSymbols(
  exchange: string,
  asked: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (known.length === 0) return asked;
  const exact = new Set(known);
  const byDatasetSymbol = new Map(known.map((symbol) => [toDatasetSymbol(symbol), symbol]));
  return asked.map((symbol) => {
    const found = exact.has(symbol) ? symbol : byDatasetSymbol.get(toDatasetSymbol(symbol));
    if (found !== undefined) return found;
    if (isGlob(symbol)) {
      throw usageError(`"${symbol}": --source feeds takes whole symbols and no globs; name them`);
    }
    const near = didYouMean(symbol, known) || `; see: tickhaul symbols ${exchange}`;
    throw usageError(`unknown symbol "${symbol}" for ${exchange}${near}`);
  });
}
