import type { ThriftWriter } from './thrift-writer.js';

/** Of one column chunk. The bounds are PLAIN-encoded values, and absent when there is no value to name. */
export interface Statistics {
  readonly nullCount: number;
  readonly bounds: ValueBounds | undefined;
}

/** The order is the type's own (TYPE_ORDER): numbers by value, text by unsigned bytes. */
export interface ValueBounds {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
}

/** A text longer than this makes no bound: readers don't agree on shortened ones. */
const MAX_BOUND_BYTES = 64;

/**
 * A bound of zero is written as -0.0 below and +0.0 above, as the format asks for doubles, since readers may
 * tell the two apart.
 */
export function doubleBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
  return { min: bytes(min === 0 ? -0 : min), max: bytes(max === 0 ? 0 : max) };
}

/** Of whole numbers as INT64. */
export function longBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return { min: bytes(min), max: bytes(max) };
}

/** Of so many booleans, at least one, of which some are true. */
export function booleanBounds(count: number, trues: number): ValueBounds {
  return { min: Uint8Array.of(trues === count ? 1 : 0), max: Uint8Array.of(trues > 0 ? 1 : 0) };
}

/** Of UTF-8 texts. */
export function textBounds(min: Uint8Array, max: Uint8Array): ValueBounds | undefined {
  return Math.max(min.length, max.length) <= MAX_BOUND_BYTES ? { min, max } : undefined;
}

export function writeStatistics(thrift: ThriftWriter, { nullCount, bounds }: Statistics): void {
  thrift.i64(3, nullCount);
  if (!bounds) return;
  thrift.binary(5, bounds.max);
  thrift.binary(6, bounds.min);
}
