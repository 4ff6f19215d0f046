import {
  addDays,
  type Day,
  formatDay,
  isFirstDayOfMonth,
  msToDay,
  parseTimeToDay,
} from '../../../day-files/day.js';

/** Well-known exchanges and symbols, in order of preference. */
const KNOWN_EXCHANGES = ['binance-futures', 'bitmex', 'deribit', 'binance'];
const KNOWN_SYMBOLS = ['BTCUSDT', 'XBTUSD', 'BTC-PERPETUAL', 'BTC-USDT-SWAP', 'BTC-USD'];

/** The exchange selected first; empty if there is none. */
export function chooseExchange(ids: readonly string[]): string {
  return KNOWN_EXCHANGES.find((id) => ids.includes(id)) ?? ids[0] ?? '';
}

/** The symbol selected first for an exchange; empty if there is none. */
export function chooseSymbol(symbols: readonly string[]): string {
  const known = KNOWN_SYMBOLS.map((symbol) => symbols.find((name) => name.toUpperCase() === symbol));
  return known.find((name) => name !== undefined) ?? symbols[0] ?? '';
}

/**
 * The first hour of the latest first day of a month with data: these days need no key.
 * @param until end of the data, ISO 8601; undefined for now.
 */
export function choosePeriod(
  until: string | undefined,
  now: number,
): { readonly from: string; readonly to: string } {
  const today = msToDay(now);
  const end = until === undefined ? today : Math.min(parseTimeToDay(until) ?? today, today);
  // The last day may not be complete yet.
  let day = addDays(end as Day, -1);
  while (!isFirstDayOfMonth(day)) day = addDays(day, -1);
  return { from: `${formatDay(day)}T00:00`, to: `${formatDay(day)}T01:00` };
}
