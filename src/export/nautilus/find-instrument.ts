import { usageError } from '../../base/errors.js';
import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import type { CatalogSettings } from './catalog-settings.js';
import { FIXED_LIMITS } from './fixed-point.js';
import { formatInstrumentId } from './instrument-id.js';

/** Thrown for an instrument whose precision is neither in the settings nor in flags. */
export class UnknownPrecision extends Error {
  readonly symbol: string;
  readonly kinds: readonly ('price' | 'size')[];

  constructor(symbol: string, kinds: readonly ('price' | 'size')[]) {
    super(`unknown precision of ${symbol}`);
    this.symbol = symbol;
    this.kinds = kinds;
  }
}

/**
 * The instrument of a symbol as in the cells of a day file.
 * @throws UnknownPrecision; usage error if its id is unknown, or if its precision is too high.
 */
export function findInstrument(
  { instrumentId, instruments, precision }: CatalogSettings,
  exchange: string,
  symbol: string,
): CatalogInstrument {
  const facts =
    instruments[symbol.toUpperCase()] ?? instruments[toDatasetSymbol(symbol)] ?? instruments['*'] ?? {};
  if (instrumentId === undefined && facts.suffix === undefined) {
    throw usageError(
      `${exchange} ${symbol}: its instrument id depends on instrument metadata, which are not available; set --instrument-id`,
    );
  }
  const { price, size } = facts;
  if (price === undefined || size === undefined) {
    throw new UnknownPrecision(
      symbol,
      (['price', 'size'] as const).filter((kind) => facts[kind] === undefined),
    );
  }
  const { scale } = FIXED_LIMITS[precision];
  for (const [kind, decimals] of Object.entries({ price, size })) {
    if (decimals <= scale) continue;
    const advice = precision === 64 ? '--precision 128' : `--${kind}-precision ${scale}`;
    throw usageError(
      `${exchange} ${symbol}: ${precision} bits have ${scale} decimals, but its ${kind} precision is ${decimals}; set ${advice}`,
    );
  }
  const id = instrumentId ?? formatInstrumentId(exchange, symbol, facts.suffix ?? '');
  return { id, symbol, precision: { price, size } };
}
