import type { ThriftWriter } from './thrift-writer.js';

/** Statistics of a column chunk. Bounds are PLAIN-encoded values; undefined if there are no values. */
export interface Statistics {
  readonly nullCount: number;
  readonly bounds: ValueBounds | undefined;
}

/** Bounds in the order of the type (TYPE_ORDER): numbers by value, texts by unsigned bytes. */
export interface ValueBounds {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
}

/** Longer texts have no bounds, since readers treat truncated ones differently. */
const MAX_BOUND_BYTES = 64;

/**
 * Bounds of doubles. The format requires -0.0 for a zero minimum and +0.0 for a zero maximum, since readers
 * may distinguish the two.
 */
export function doubleBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
  return { min: bytes(min === 0 ? -0 : min), max: bytes(max === 0 ? 0 : max) };
}

/** Bounds of integers as INT64. */
export function longBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return { min: bytes(min), max: bytes(max) };
}

/** Bounds of at least one boolean. @param count number of values. @param trues number of true ones. */
export function booleanBounds(count: number, trues: number): ValueBounds {
  return { min: Uint8Array.of(trues === count ? 1 : 0), max: Uint8Array.of(trues > 0 ? 1 : 0) };
}

/** Bounds of UTF-8 texts; undefined if one is too long. */
export function textBounds(min: Uint8Array, max: Uint8Array): ValueBounds | undefined {
  return Math.max(min.length, max.length) <= MAX_BOUND_BYTES ? { min, max } : undefined;
}

export function writeStatistics(thrift: ThriftWriter, { nullCount, bounds }: Statistics): void {
  thrift.i64(3, nullCount);
  if (!bounds) return;
  thrift.binary(5, bounds.max);
  thrift.binary(6, bounds.min);
}
