import {
  addDays,
  type Day,
  formatDay,
  isFirstDayOfMonth,
  msToDay,
  parseTimeToDay,
} from '../../../dataset/day.js';

/** Exchanges and symbols that most people know, in the order in which they are looked for. */
const KNOWN_EXCHANGES = ['binance-futures', 'bitmex', 'deribit', 'binance'];
const KNOWN_SYMBOLS = ['BTCUSDT', 'XBTUSD', 'BTC-PERPETUAL', 'BTC-USDT-SWAP', 'BTC-USD'];

/** The exchange that the viewer begins with; empty where there is none. */
export function firstExchange(ids: readonly string[]): string {
  return KNOWN_EXCHANGES.find((id) => ids.includes(id)) ?? ids[0] ?? '';
}

/** The symbol that the viewer offers for an exchange; empty where there is none. */
export function firstSymbol(symbols: readonly string[]): string {
  const known = KNOWN_SYMBOLS.map((wanted) => symbols.find((name) => name.toUpperCase() === wanted));
  return known.find((name) => name !== undefined) ?? symbols[0] ?? '';
}

/**
 * The first hour of the last first day of a month that is there: such days need no key.
 * @param until ISO 8601: the end of what there is; undefined for now.
 */
export function firstPeriod(
  until: string | undefined,
  now: number,
): { readonly from: string; readonly to: string } {
  const today = msToDay(now);
  const end = until === undefined ? today : Math.min(parseTimeToDay(until) ?? today, today);
  // That very day may not be over yet.
  let day = addDays(end as Day, -1);
  while (!isFirstDayOfMonth(day)) day = addDays(day, -1);
  return { from: `${formatDay(day)}T00:00`, to: `${formatDay(day)}T01:00` };
}
