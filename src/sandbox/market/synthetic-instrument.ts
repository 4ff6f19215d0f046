import type { TimestampResolution } from './market-clock.js';
import { seededRandom } from './seeded-random.js';
import type { IdStyle } from './trade-ids.js';

/** A made-up symbol, as its events need it. Prices are whole ticks, amounts whole lots. */
export interface SyntheticInstrument extends Traits {
  readonly exchange: string;
  readonly symbol: string;
  readonly openTicks: number;
  readonly ticksPerUnit: number;
  readonly lotsPerUnit: number;
}

/** What all symbols of an exchange have in common. */
interface Traits {
  readonly ids: IdStyle;
  readonly liquidationIds: IdStyle;
  readonly resolution: TimestampResolution;
  /** Whether some trades come without a side. */
  readonly hasUnknownSides: boolean;
}

const USUAL: Traits = { ids: 'counter', liquidationIds: 'none', resolution: 'ms', hasUnknownSides: false };

const TRAITS: Readonly<Record<string, Partial<Traits>>> = {
  bitmex: { ids: 'uuid', liquidationIds: 'uuid', hasUnknownSides: true },
  bybit: { ids: 'uuid' },
  coinbase: { resolution: 'us' },
  huobi: { ids: 'huge' },
  kraken: { ids: 'none', resolution: 'us' },
  ftx: { resolution: 'none' },
};

const PRICES: readonly (readonly [RegExp, number])[] = [
  [/-[CP]$/, 0.05],
  [/^(BTC|XBT|OPTIONS)/, 64_000],
  [/^ETH/, 3200],
];

/** The instrument behind a dataset symbol; its price opens anew each day. */
export function createSyntheticInstrument(exchange: string, symbol: string, seed: number, day: number): SyntheticInstrument {
  const random = seededRandom(seed, 'instrument', exchange, symbol);
  const usual = PRICES.find(([pattern]) => pattern.test(symbol))?.[1] ?? 0.5 * 400 ** random.next();
  const ticksPerUnit = 10 ** Math.max(0, 5 - Math.floor(Math.log10(usual)));
  const season = 1 + 0.1 * Math.sin(day / 20) + 0.04 * seededRandom(seed, symbol, day).next();
  return {
    exchange,
    symbol,
    ...USUAL,
    ...TRAITS[exchange],
    openTicks: Math.round(usual * season * ticksPerUnit),
    ticksPerUnit,
    lotsPerUnit: usual > 1000 ? 1000 : 10,
  };
}
