import { nearestNames } from '../../base/nearest-names.js';

/** Words of other tools, and names of day files, with the valid names for them. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    trades: ['trade'],
    liquidations: ['liquidation'],
    options_chain: ['option_summary'],
    options: ['option_summary'],
    ticker: ['derivative_ticker', 'book_ticker'],
    tickers: ['derivative_ticker', 'book_ticker'],
    funding: ['derivative_ticker'],
    bbo: ['quote', 'book_ticker'],
    book: ['book_change', 'book_snapshot_10_100ms'],
    order_book: ['book_change', 'book_snapshot_10_100ms'],
    orderbook: ['book_change', 'book_snapshot_10_100ms'],
    depth: ['book_change', 'book_snapshot_10_100ms'],
    l2: ['book_change'],
    book_l2: ['book_change'],
    incremental_book: ['book_change'],
    incremental_book_l2: ['book_change'],
  }),
);

/** A computed type for a message type that is not valid itself. */
const COMPUTED_SUGGESTIONS: ReadonlyMap<string, string> = new Map([
  ['trade', 'trade_bar_1m'],
  ['book_change', 'book_snapshot_10_100ms'],
]);

const COMPUTED_NAMES = ['quote', 'book_snapshot', 'trade_bar'];

/** Common units, as multiples of the supported ones. */
const UNITS: ReadonlyMap<string, readonly [number, string]> = new Map(
  Object.entries<readonly [number, string]>({
    ms: [1, 'ms'],
    s: [1, 's'],
    sec: [1, 's'],
    second: [1, 's'],
    m: [1, 'm'],
    min: [1, 'm'],
    minute: [1, 'm'],
    h: [60, 'm'],
    hr: [60, 'm'],
    hour: [60, 'm'],
    d: [1440, 'm'],
    day: [1440, 'm'],
    w: [10_080, 'm'],
    week: [10_080, 'm'],
    t: [1, 'ticks'],
    tick: [1, 'ticks'],
    trade: [1, 'ticks'],
    v: [1, 'vol'],
    vol: [1, 'vol'],
    volume: [1, 'vol'],
  }),
);

const BAR = /^(?:trade_?bars?|ohlcv?|candles?|candlesticks?|klines?|bars?)_?([^a-z]*)_?([a-z]*)$/;
const SNAPSHOT =
  /^(?:book_?snapshots?|snapshots?|order_?book|depth)(?:_?([\d.]+)|_[^_\d]+(?=_\d))?(?:_grouped_?([\d.]+))?_?([\d.]*)_?([a-z]*)$/;
const QUOTE = /^(?:quotes?|bbo)_?([\d.]*)_?([a-z]*)$/;

/**
 * The valid names nearest to an invalid one, best first, at most three. Converts hours to minutes, names of
 * day files, and words of other tools.
 * @param isName whether a name is valid.
 * @param exchangeTypes names of the messages that exchanges send.
 */
export function suggestMessageTypes(
  invalidName: string,
  isName: (name: string) => boolean,
  exchangeTypes: readonly string[],
): readonly string[] {
  const text = invalidName
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const candidates = [text, ...(SYNONYMS.get(text) ?? [])];
  for (const valid of [candidates.filter(isName), repairName(text).filter(isName)]) {
    if (valid.length > 0) return valid;
  }
  const names = [...candidates, ...nearestNames(text, [...exchangeTypes, ...COMPUTED_NAMES])].flatMap(
    (name) => [
      ...[name, COMPUTED_SUGGESTIONS.get(name) ?? ''].filter(isName).slice(0, 1),
      ...repairName(name),
    ],
  );
  return [...new Set(names.filter(isName))].slice(0, 3);
}

function repairName(text: string): readonly string[] {
  const bar = BAR.exec(text);
  if (bar) return suggestBars(bar[1] ?? '', bar[2] ?? '');
  const snapshot = SNAPSHOT.exec(text);
  if (snapshot) return suggestSnapshots(snapshot[1], snapshot[2], snapshot[3] ?? '', snapshot[4] ?? '');
  const quote = QUOTE.exec(text);
  if (quote)
    return quote[1] || quote[2]
      ? [`quote_${normalizeInterval(quote[1] ?? '', quote[2] ?? '', 's')}`]
      : ['quote'];
  return [];
}

function suggestBars(count: string, unit: string): string[] {
  return [`trade_bar_${normalizeInterval(count.replaceAll(/[^\d.]/g, ''), unit, 'm')}`];
}

function suggestSnapshots(levels = '10', group: string | undefined, count: string, unit: string): string[] {
  const depth = Math.max(1, Math.floor(Number(levels)) || 1);
  const grouped = group !== undefined && Number(group) > 0 ? `_grouped${Number(group)}` : '';
  const begin = `book_snapshot_${depth}${grouped}_`;
  if (count === '' && unit === '') return [`${begin}0ms`, `${begin}1s`];
  return [`${begin}${normalizeInterval(count, unit, 's')}`];
}

/** Converts an interval to supported units, as an integer; without a number, the count is 1. */
function normalizeInterval(count: string, unit: string, fallback: string): string {
  const [factor, name] = UNITS.get(unit) ?? UNITS.get(unit.replace(/s$/, '')) ?? [1, fallback];
  const number = count === '' ? 1 : Number(count);
  if (!Number.isFinite(number) || !(number > 0)) return `1${name}`;
  if (name === 'vol') return `${number}vol`;
  const whole = number * factor;
  if (Number.isInteger(whole)) return `${whole}${name}`;
  const smaller = name === 'm' ? [60, 's'] : [1000, 'ms'];
  const finer = whole * Number(smaller[0]);
  return name === 'ticks' || !Number.isInteger(finer)
    ? `${Math.max(1, Math.round(whole))}${name}`
    : `${finer}${smaller[1]}`;
}
