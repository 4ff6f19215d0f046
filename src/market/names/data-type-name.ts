import { usageError } from '../../base/errors.js';
import type { DataType } from '../../dataset/data-types.js';
import { suggestDataTypes } from './suggest-data-types.js';

/**
 * The normalized data types that are an exchange's own messages, with the day files that hold them. The order is that
 * in which messages of one local timestamp come, where they were made of one message of the exchange.
 */
export const SOURCE_TYPES = {
  trade: 'trades',
  book_change: 'incremental_book_L2',
  derivative_ticker: 'derivative_ticker',
  liquidation: 'liquidations',
  option_summary: 'options_chain',
  book_ticker: 'book_ticker',
} as const satisfies Record<string, DataType>;

export type SourceTypeName = keyof typeof SOURCE_TYPES;

export interface SourceType {
  readonly kind: 'source';
  readonly name: SourceTypeName;
  /** The day files that it is made of. */
  readonly dayFiles: DataType;
}

/** `book_snapshot_{levels}[_grouped{g}]_{n}{ms,s,m}`, `quote`, `quote_{n}{ms,s,m}`. */
export interface BookSnapshotType {
  readonly kind: 'book_snapshot';
  /** As it was asked for; messages repeat it. */
  readonly name: string;
  /** Levels a side. */
  readonly depth: number;
  /** Milliseconds; 0 for a snapshot on every change within the depth. */
  readonly interval: number;
  /** The multiple that prices are brought together at; undefined for levels as they are. */
  readonly grouping: number | undefined;
  readonly dayFiles: 'incremental_book_L2';
}

/** `trade_bar_{n}{ms,s,m,ticks,vol}`. */
export interface TradeBarType {
  readonly kind: 'trade_bar';
  /** As it was asked for; messages repeat it. */
  readonly name: string;
  readonly bar: 'time' | 'tick' | 'volume';
  /** Milliseconds, trades, or volume. */
  readonly interval: number;
  readonly dayFiles: 'trades';
}

export type ComputedType = BookSnapshotType | TradeBarType;
export type NormalizedType = SourceType | ComputedType;

/**
 * The name of a normalized data type (contract, Replay), strictly: what isn't one is refused, though the vendor's
 * server takes some of it by accident.
 * @throws usage error that names the nearest right names.
 */
export function parseDataTypeName(text: string): NormalizedType {
  const type = parseNormalizedName(text);
  if (type) return type;
  const known = [...Object.keys(SOURCE_TYPES), ...COMPUTED_TYPES];
  const near = suggestDataTypes(text, isDataTypeName);
  throw usageError(`"${text}" is not a normalized data type${formatAdvice(near, known)}`);
}

/**
 * The name of a computed type (contract, Computed types of day files).
 * @param besides what else may stand where the name does, for the message.
 * @throws usage error that names the nearest right names.
 */
export function parseComputedTypeName(text: string, besides: readonly string[] = []): ComputedType {
  const type = parseNormalizedName(text);
  if (type && type.kind !== 'source') return type;
  const near = suggestDataTypes(text, (name) => isDataTypeName(name) && !(name in SOURCE_TYPES));
  throw usageError(`"${text}" is not a computed type${formatAdvice(near, [...COMPUTED_TYPES, ...besides])}`);
}

function formatAdvice(near: readonly string[], known: readonly string[]): string {
  return near.length === 0
    ? `; known are ${known.join(', ')}`
    : `; did you mean ${near.length === 1 ? near[0] : `${near.slice(0, -1).join(', ')} or ${near.at(-1)}`}?`;
}

const COMPUTED_TYPES = [
  'book_snapshot_{levels}[_grouped{g}]_{n}{ms,s,m}',
  'quote',
  'quote_{n}{ms,s,m}',
  'trade_bar_{n}{ms,s,m,ticks,vol}',
];

/** A side of a snapshot has so many entries, whatever the book holds. */
const MAX_SNAPSHOT_DEPTH = 100_000;

const WHOLE = '(?:0|[1-9]\\d*)';
const DECIMAL = `${WHOLE}(?:\\.\\d+)?`;
const SNAPSHOT = new RegExp(`^book_snapshot_(${WHOLE})(?:_grouped(${DECIMAL}))?_(${WHOLE})(ms|s|m)$`);
const QUOTE = new RegExp(`^quote(?:_(${WHOLE})(ms|s|m))?$`);
const BAR = new RegExp(`^trade_bar_(${DECIMAL})(ms|s|m|ticks|vol)$`);

const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function isDataTypeName(text: string): boolean {
  return parseNormalizedName(text) !== undefined;
}

function parseNormalizedName(name: string): NormalizedType | undefined {
  if (isSourceType(name)) return { kind: 'source', name, dayFiles: SOURCE_TYPES[name] };
  const bar = BAR.exec(name);
  if (bar) return parseBarName(name, bar[1] ?? '', bar[2] ?? '');
  const snapshot = SNAPSHOT.exec(name);
  if (snapshot) return parseSnapshotName(name, snapshot[1], snapshot[2], snapshot[3], snapshot[4]);
  const quote = QUOTE.exec(name);
  return quote ? parseSnapshotName(name, '1', undefined, quote[1], quote[2]) : undefined;
}

function isSourceType(name: string): name is SourceTypeName {
  return Object.hasOwn(SOURCE_TYPES, name);
}

function parseSnapshotName(
  name: string,
  levels = '0',
  group: string | undefined,
  count = '0',
  unit = 'ms',
): BookSnapshotType | undefined {
  const depth = Number(levels);
  const interval = Number(count) * (MS[unit] ?? 1);
  const grouping = group === undefined ? undefined : Number(group);
  if (depth < 1 || depth > MAX_SNAPSHOT_DEPTH || !Number.isSafeInteger(interval) || grouping === 0)
    return undefined;
  return { kind: 'book_snapshot', name, depth, interval, grouping, dayFiles: 'incremental_book_L2' };
}

function parseBarName(name: string, count: string, unit: string): TradeBarType | undefined {
  const ms = MS[unit];
  const interval = Number(count) * (ms ?? 1);
  const whole = unit === 'vol' || (!count.includes('.') && Number.isSafeInteger(interval));
  if (!(interval > 0) || !whole || !Number.isFinite(interval)) return undefined;
  const bar = ms !== undefined ? 'time' : unit === 'ticks' ? 'tick' : 'volume';
  return { kind: 'trade_bar', name, bar, interval, dayFiles: 'trades' };
}
