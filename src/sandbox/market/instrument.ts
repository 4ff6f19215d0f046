import type { Resolution } from './clock.js';
import { seededRandom } from './random.js';

/** What a trade's id looks like: a counter, a UUID, an integer past 2^53, or nothing. */
export type IdStyle = 'counter' | 'uuid' | 'huge' | 'none';

/** What the rows of one symbol have in common. Prices are whole ticks, amounts whole lots. */
export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
  readonly ids: IdStyle;
  readonly resolution: Resolution;
  readonly openTicks: number;
  readonly ticksPerUnit: number;
  readonly lotsPerUnit: number;
}

const TRAITS: Readonly<Record<string, { readonly ids: IdStyle; readonly resolution: Resolution }>> = {
  bitmex: { ids: 'uuid', resolution: 'ms' },
  coinbase: { ids: 'counter', resolution: 'us' },
  huobi: { ids: 'huge', resolution: 'ms' },
  kraken: { ids: 'none', resolution: 'us' },
  ftx: { ids: 'counter', resolution: 'none' },
};

const PRICES: readonly (readonly [RegExp, number])[] = [
  [/-[CP]$/, 0.05],
  [/^(BTC|XBT|OPTIONS)/, 64_000],
  [/^ETH/, 3200],
];

/** The instrument behind a dataset symbol; its opening price is the same in every data type of a day. */
export function instrumentOf(exchange: string, symbol: string, seed: number, day: number): Instrument {
  const random = seededRandom(seed, 'instrument', exchange, symbol);
  const usual = PRICES.find(([pattern]) => pattern.test(symbol))?.[1] ?? 0.5 * 400 ** random.next();
  const ticksPerUnit = 10 ** Math.max(0, 5 - Math.floor(Math.log10(usual)));
  const season = 1 + 0.1 * Math.sin(day / 20) + 0.04 * seededRandom(seed, symbol, day).next();
  return {
    exchange,
    symbol,
    ...(TRAITS[exchange] ?? { ids: 'counter', resolution: 'ms' }),
    openTicks: Math.round(usual * season * ticksPerUnit),
    ticksPerUnit,
    lotsPerUnit: usual > 1000 ? 1000 : 10,
  };
}
