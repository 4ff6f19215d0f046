import { readDecimal } from '../../base/units.js';
import type { NumberColumn, TextValues } from '../../format/batch.js';
import type { FixedPrecision } from './catalog-columns.js';
import type { KernelMemory } from './lane-memory.js';

/** Decimals and greatest values of fixed-point numbers (docs/spec/nautilus-catalog.md#numbers). */
export const FIXED_LIMITS = {
  64: { scale: 9, price: 9_223_372_036, size: 18_446_744_073 },
  128: { scale: 16, price: 17_014_118_346_046, size: 34_028_236_692_093 },
} as const satisfies Record<FixedPrecision, object>;

export type FixedKind = 'price' | 'size';

/** As in assembly/fixed.ts. */
const STOP_REASON = { done: 0, unusual: 1, outOfRange: 2 } as const;

/** A value that does not fit, at a row of the batch. */
export interface OutOfRangeValue {
  readonly row: number;
  readonly text: string;
}

/** Converts numbers to fixed-point lanes. */
export class FixedPointConverter {
  /** Values so far that had more decimals than their precision. */
  roundedCount = 0;
  readonly #memory: KernelMemory;
  readonly #precision: FixedPrecision;

  constructor(memory: KernelMemory, precision: FixedPrecision) {
    this.#memory = memory;
    this.#precision = precision;
  }

  /**
   * Converts the numbers of a batch, whose long ones have text; an empty cell is 0. Prices are signed, sizes are not.
   * @param places address of a byte for each number: the decimals of its precision.
   * @param out address of the lane.
   * @returns the first value that is out of range, if there is one.
   */
  convert(
    { values, text: texts }: NumberColumn,
    kind: FixedKind,
    places: number,
    out: number,
  ): OutOfRangeValue | undefined {
    const { kernel } = this.#memory;
    const numbers = this.#memory.load('numbers', values);
    const { bytes, offsets } = texts ? this.#memory.loadTexts('numbers', texts) : { bytes: 0, offsets: 0 };
    const { scale, [kind]: max } = FIXED_LIMITS[this.#precision];
    const width = this.#precision / 8;
    const isSigned = kind === 'price' ? 1 : 0;
    for (let first = 0; ; ) {
      const reason = kernel.convertToFixed(
        numbers,
        bytes,
        offsets,
        first,
        values.length,
        places,
        width,
        scale,
        max,
        isSigned,
        out,
      );
      this.roundedCount += kernel.roundedCount.value;
      if (reason === STOP_REASON.done) return undefined;
      const row = kernel.stoppedAt.value;
      const text = (texts && textAt(texts, row)) || String(values[row]);
      if (reason === STOP_REASON.outOfRange) return { row, text };
      const decimals = this.#memory.bytes[places + row] as number;
      const { raw, isRounded } = toFixedPoint(text, decimals, scale);
      const limit = BigInt(max) * 10n ** BigInt(scale);
      if (raw > limit || raw < (kind === 'price' ? -limit : 0n)) return { row, text };
      if (isRounded) this.roundedCount++;
      this.#write(raw, out + width * row);
      first = row + 1;
    }
  }

  #write(raw: bigint, at: number): void {
    this.#memory.bytes.writeBigUInt64LE(BigInt.asUintN(64, raw), at);
    if (this.#precision === 128) this.#memory.bytes.writeBigUInt64LE(BigInt.asUintN(64, raw >> 64n), at + 8);
  }
}

/** More digits before the point than any value in range has. */
const MAX_WHOLE_DIGITS = 20;

/**
 * Converts the text of a decimal, which may have an exponent. Its size is known from the exponent, so that no number is
 * longer than the range needs.
 * @returns the value, rounded half away from zero to `decimals`, times 10^`scale`; any value out of range for one that is
 * far from it.
 */
export function toFixedPoint(
  text: string,
  decimals: number,
  scale: number,
): { readonly raw: bigint; readonly isRounded: boolean } {
  const { digits, wholeDigits, isNegative } = readDecimal(text);
  if (digits === '') return { raw: 0n, isRounded: false };
  if (wholeDigits > MAX_WHOLE_DIGITS) {
    const far = 10n ** BigInt(MAX_WHOLE_DIGITS + scale);
    return { raw: isNegative ? -far : far, isRounded: false };
  }
  const count = wholeDigits + decimals;
  if (count < 0) return { raw: 0n, isRounded: true };
  const kept = BigInt(digits.slice(0, count).padEnd(count, '0')) + ((digits[count] ?? '0') >= '5' ? 1n : 0n);
  const raw = kept * 10n ** BigInt(scale - decimals);
  // The last digit is not 0.
  return { raw: isNegative ? -raw : raw, isRounded: digits.length > count };
}

function textAt({ bytes, offsets }: TextValues, row: number): string {
  return Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString();
}
