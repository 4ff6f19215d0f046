import type { TimestampResolution } from './market-clock.js';
import { type Random, seededRandom } from './seeded-random.js';

/** A synthetic instrument. Prices are whole ticks, amounts whole lots. */
export interface SyntheticInstrument extends Traits {
  readonly exchange: string;
  readonly symbol: string;
  readonly openTicks: number;
  readonly ticksPerUnit: number;
  readonly lotsPerUnit: number;
}

/** Properties of all symbols of an exchange. */
interface Traits {
  readonly ids: IdStyle;
  readonly liquidationIds: IdStyle;
  readonly resolution: TimestampResolution;
  /** Whether some trades have no side. */
  readonly hasUnknownSides: boolean;
}

const DEFAULT_TRAITS: Traits = {
  ids: 'counter',
  liquidationIds: 'none',
  resolution: 'ms',
  hasUnknownSides: false,
};

const TRAITS: Readonly<Record<string, Partial<Traits>>> = {
  bitmex: { ids: 'uuid', liquidationIds: 'uuid', hasUnknownSides: true },
  bybit: { ids: 'uuid' },
  coinbase: { resolution: 'us' },
  huobi: { ids: 'huge' },
  kraken: { ids: 'none', resolution: 'us' },
  lighter: { liquidationIds: 'counter' },
  ftx: { resolution: 'none' },
};

const PRICES: readonly (readonly [RegExp, number])[] = [
  [/-[CP]$/, 0.05],
  [/^(BTC|XBT|OPTIONS)/, 64_000],
  [/^ETH/, 3200],
];

/** Creates the instrument of a dataset symbol. Its opening price differs by day. */
export function createSyntheticInstrument(
  exchange: string,
  symbol: string,
  seed: number,
  day: number,
): SyntheticInstrument {
  const random = seededRandom(seed, 'instrument', exchange, symbol);
  const typicalPrice = PRICES.find(([pattern]) => pattern.test(symbol))?.[1] ?? 0.5 * 400 ** random.next();
  const ticksPerUnit = 10 ** Math.max(0, 5 - Math.floor(Math.log10(typicalPrice)));
  const dayFactor = 1 + 0.1 * Math.sin(day / 20) + 0.04 * seededRandom(seed, symbol, day).next();
  return {
    exchange,
    symbol,
    ...DEFAULT_TRAITS,
    ...TRAITS[exchange],
    openTicks: Math.round(typicalPrice * dayFactor * ticksPerUnit),
    ticksPerUnit,
    lotsPerUnit: typicalPrice > 1000 ? 1000 : 10,
  };
}

/** Form of a trade id: a counter, a UUID, an integer above 2^53, or none. */
type IdStyle = 'counter' | 'uuid' | 'huge' | 'none';

/** Returns a function that creates the next trade id. */
export function createTradeIds(style: IdStyle, random: Random): () => string {
  if (style === 'none') return () => '';
  if (style === 'uuid') return () => uuid(random);
  let count = 10_000_000 + random.int(900_000_000);
  const prefix = style === 'huge' ? `1001${100_000_000 + random.int(800_000_000)}` : '';
  return () => {
    count += 1;
    return prefix + count;
  };
}

function uuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`;
}
