import { usageError } from '../../base/errors.js';
import type { DataType } from '../../dataset/data-types.js';
import { suggestMessageTypes } from './suggest-message-types.js';

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

export interface ExchangeMessageType {
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

/** `trade_bar_{n}{ms,s,m,ticks,vol}`. */
export interface TradeBarType {
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
 * Parses the name of a computed type.
 * @param besides further values that are allowed in its place, for the message.
 * @throws TickhaulError `usage` with the nearest valid names.
 */
export function parseComputedTypeName(text: string, besides: readonly string[] = []): ComputedType {
  const type = parseNormalizedName(text);
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
