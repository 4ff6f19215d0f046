import { usageError } from '../base/errors.js';
import { nearestNames } from '../base/text.js';
import type { DataType } from '../day-files/data-types.js';

/**
 * The normalized data types that are an exchange's messages, with their day files. Messages that come from
 * one message of the exchange have this order (docs/spec/normalized-messages.md#order).
 */
export const EXCHANGE_MESSAGE_TYPES = {
  trade: 'trades',
  book_change: 'incremental_book_L2',
  derivative_ticker: 'derivative_ticker',
  liquidation: 'liquidations',
  option_summary: 'options_chain',
  book_ticker: 'book_ticker',
} as const satisfies Record<string, DataType>;

export type ExchangeMessageTypeName = keyof typeof EXCHANGE_MESSAGE_TYPES;

const EXCHANGE_NAMES = Object.keys(EXCHANGE_MESSAGE_TYPES);

interface ExchangeMessageType {
  readonly kind: 'source';
  readonly name: ExchangeMessageTypeName;
  /** Data type of the day files with these messages. */
  readonly dayFileType: DataType;
}

/** `book_snapshot_{levels}[_grouped{g}]_{n}{ms,s,m}`, `quote`, `quote_{n}{ms,s,m}`. */
export interface BookSnapshotType {
  readonly kind: 'book_snapshot';
  /** The name as it was requested; messages repeat it. */
  readonly name: string;
  /** Levels per side. */
  readonly depth: number;
  /** Milliseconds; 0 for a snapshot at every change within the depth. */
  readonly interval: number;
  /** Prices are rounded to multiples of this; undefined for single levels. */
  readonly grouping: number | undefined;
  readonly dayFileType: 'incremental_book_L2';
}

/** Rules of time bars that files can have; messages have none of them. */
export interface BarRules {
  /** The end of the interval that is the `timestamp`; by default the later one. */
  readonly barTime?: 'open' | undefined;
  /** The price of bars of intervals without trades, the last close; by default there are no such bars. */
  readonly fill?: 'close' | undefined;
}

/** `trade_bar_{n}{ms,s,m,ticks,vol}`. */
export interface TradeBarType extends BarRules {
  readonly kind: 'trade_bar';
  /** The name as it was requested; messages repeat it. */
  readonly name: string;
  readonly bar: 'time' | 'tick' | 'volume';
  /** Milliseconds, number of trades, or volume. */
  readonly interval: number;
  readonly dayFileType: 'trades';
}

export type ComputedType = BookSnapshotType | TradeBarType;
export type NormalizedType = ExchangeMessageType | ComputedType;

/**
 * Parses the name of a normalized data type (docs/spec/normalized-messages.md#data-type-names). It refuses
 * other names, although the vendor's server accepts some of them.
 * @throws TickhaulError `usage` with the nearest valid names.
 */
export function parseMessageType(text: string): NormalizedType {
  const type = parseNormalizedName(text);
  if (type) return type;
  const known = [...EXCHANGE_NAMES, ...COMPUTED_TYPES];
  const suggestions = suggestMessageTypes(text, isMessageTypeName, EXCHANGE_NAMES);
  throw usageError(`"${text}" is not a normalized data type${formatAdvice(suggestions, known)}`);
}

/**
 * Parses the name of a computed type of files. Bars of hours and days, `trade_bar_{n}{h,d}`, are those of as many minutes.
 * @param besides further values that are allowed in its place, for the message.
 * @throws TickhaulError `usage` with the nearest valid names.
 */
export function parseComputedTypeName(text: string, besides: readonly string[] = []): ComputedType {
  const type = parseNormalizedName(toMinutes(text));
  if (type && type.kind !== 'source') return type;
  const suggestions = suggestMessageTypes(
    text,
    (name) => isMessageTypeName(name) && !(name in EXCHANGE_MESSAGE_TYPES),
    EXCHANGE_NAMES,
  );
  throw usageError(
    `"${text}" is not a computed type${formatAdvice(suggestions, [...COMPUTED_TYPES, ...besides])}`,
  );
}

function toMinutes(name: string): string {
  const [, count, unit] = /^trade_bar_([1-9]\d*)(h|d)$/.exec(name) ?? [];
  return count === undefined ? name : `trade_bar_${Number(count) * (unit === 'h' ? 60 : 1440)}m`;
}

/** A type with the rules, if it is a time bar. */
export function withBarRules(type: ComputedType, { barTime, fill }: BarRules): ComputedType {
  if (!isTimeBar(type)) return type;
  return { ...type, ...(barTime && { barTime }), ...(fill && { fill }) };
}

/** The rules of a type; empty for the usual ones. They are part of what decides the content of an output. */
export function barRulesOf(type: ComputedType | undefined): BarRules {
  if (type?.kind !== 'trade_bar') return NO_RULES;
  const { barTime, fill } = type;
  return { ...(barTime && { barTime }), ...(fill && { fill }) };
}

const NO_RULES: BarRules = {};

export function isTimeBar(type: ComputedType): boolean {
  return type.kind === 'trade_bar' && type.bar === 'time';
}

function formatAdvice(suggestions: readonly string[], known: readonly string[]): string {
  return suggestions.length === 0
    ? `; use ${known.join(', ')}`
    : `; did you mean ${suggestions.length === 1 ? suggestions[0] : `${suggestions.slice(0, -1).join(', ')} or ${suggestions.at(-1)}`}?`;
}

const COMPUTED_TYPES = [
  'book_snapshot_{levels}[_grouped{g}]_{n}{ms,s,m}',
  'quote',
  'quote_{n}{ms,s,m}',
  'trade_bar_{n}{ms,s,m,ticks,vol}',
];

/** Each side of a snapshot has `depth` entries, even if the book has fewer levels. */
const MAX_SNAPSHOT_DEPTH = 100_000;

const WHOLE = '(?:0|[1-9]\\d*)';
const DECIMAL = `${WHOLE}(?:\\.\\d+)?`;
const SNAPSHOT = new RegExp(`^book_snapshot_(${WHOLE})(?:_grouped(${DECIMAL}))?_(${WHOLE})(ms|s|m)$`);
const QUOTE = new RegExp(`^quote(?:_(${WHOLE})(ms|s|m))?$`);
const BAR = new RegExp(`^trade_bar_(${DECIMAL})(ms|s|m|ticks|vol)$`);

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function isMessageTypeName(text: string): boolean {
  return parseNormalizedName(text) !== undefined;
}

export function parseNormalizedName(name: string): NormalizedType | undefined {
  if (isExchangeMessageType(name)) return { kind: 'source', name, dayFileType: EXCHANGE_MESSAGE_TYPES[name] };
  const bar = BAR.exec(name);
  if (bar) return parseBarName(name, bar[1] ?? '', bar[2] ?? '');
  const snapshot = SNAPSHOT.exec(name);
  if (snapshot) return parseSnapshotName(name, snapshot[1], snapshot[2], snapshot[3], snapshot[4]);
  const quote = QUOTE.exec(name);
  return quote ? parseSnapshotName(name, '1', undefined, quote[1], quote[2]) : undefined;
}

function isExchangeMessageType(name: string): name is ExchangeMessageTypeName {
  return Object.hasOwn(EXCHANGE_MESSAGE_TYPES, name);
}

function parseSnapshotName(
  name: string,
  levels = '0',
  group: string | undefined,
  count = '0',
  unit = 'ms',
): BookSnapshotType | undefined {
  const depth = Number(levels);
  const interval = Number(count) * (MS_PER_UNIT[unit] ?? 1);
  const grouping = group === undefined ? undefined : Number(group);
  if (depth < 1 || depth > MAX_SNAPSHOT_DEPTH || !Number.isSafeInteger(interval) || grouping === 0)
    return undefined;
  return { kind: 'book_snapshot', name, depth, interval, grouping, dayFileType: 'incremental_book_L2' };
}

function parseBarName(name: string, count: string, unit: string): TradeBarType | undefined {
  const ms = MS_PER_UNIT[unit];
  const interval = Number(count) * (ms ?? 1);
  const whole = unit === 'vol' || (!count.includes('.') && Number.isSafeInteger(interval));
  if (!(interval > 0) || !whole || !Number.isFinite(interval)) return undefined;
  const bar = ms !== undefined ? 'time' : unit === 'ticks' ? 'tick' : 'volume';
  return { kind: 'trade_bar', name, bar, interval, dayFileType: 'trades' };
}

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

const SIMILAR_BAR = /^(?:trade_?bars?|ohlcv?|candles?|candlesticks?|klines?|bars?)_?([^a-z]*)_?([a-z]*)$/;
const SIMILAR_SNAPSHOT =
  /^(?:book_?snapshots?|snapshots?|order_?book|depth)(?:_?([\d.]+)|_[^_\d]+(?=_\d))?(?:_grouped_?([\d.]+))?_?([\d.]*)_?([a-z]*)$/;
const SIMILAR_QUOTE = /^(?:quotes?|bbo)_?([\d.]*)_?([a-z]*)$/;

/**
 * The valid names nearest to an invalid one, best first, at most three. Converts hours to minutes, names of
 * day files, and words of other tools.
 * @param isName whether a name is valid.
 * @param exchangeTypes names of the messages that exchanges send.
 */
function suggestMessageTypes(
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
  const bar = SIMILAR_BAR.exec(text);
  if (bar) return suggestBars(bar[1] ?? '', bar[2] ?? '');
  const snapshot = SIMILAR_SNAPSHOT.exec(text);
  if (snapshot) return suggestSnapshots(snapshot[1], snapshot[2], snapshot[3] ?? '', snapshot[4] ?? '');
  const quote = SIMILAR_QUOTE.exec(text);
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
