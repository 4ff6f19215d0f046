import type { NumberColumn, TextValues } from '../../format/batch.js';
import type { FixedPrecision } from './catalog-columns.js';
import type { KernelMemory } from './kernel-memory.js';

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

/** Decimals of the numbers of a batch. */
export interface PlacesLane {
  /** Address of a byte for each number. */
  readonly at: number;
  /** Set if all numbers have the same. */
  readonly all: number | undefined;
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
   * @param places decimals of the precision of each number.
   * @param out address of the lane.
   * @returns the first value that is out of range, if there is one.
   */
  convert(
    { values, text: texts }: NumberColumn,
    kind: FixedKind,
    { at: places, all }: PlacesLane,
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
        all ?? -1,
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
      if (isRounded) this.roundedCount++;
      const limit = BigInt(max) * 10n ** BigInt(scale);
      if (raw > limit || raw < (kind === 'price' ? -limit : 0n)) return { row, text };
      this.#write(raw, out + width * row);
      first = row + 1;
    }
  }

  #write(raw: bigint, at: number): void {
    this.#memory.bytes.writeBigUInt64LE(BigInt.asUintN(64, raw), at);
    if (this.#precision === 128) this.#memory.bytes.writeBigUInt64LE(BigInt.asUintN(64, raw >> 64n), at + 8);
  }
}

/**
 * Converts the text of a decimal, which may have an exponent.
 * @returns the value, rounded half away from zero to `decimals`, times 10^`scale`.
 */
export function toFixedPoint(
  text: string,
  decimals: number,
  scale: number,
): { readonly raw: bigint; readonly isRounded: boolean } {
  const { digits, fraction, isNegative } = parseDecimalText(text);
  const dropped = fraction - decimals;
  const divisor = 10n ** BigInt(Math.max(0, dropped));
  const rest = digits % divisor;
  const kept = digits / divisor + (rest * 2n >= divisor && rest > 0n ? 1n : 0n);
  const raw = kept * 10n ** BigInt(scale - Math.min(fraction, decimals));
  return { raw: isNegative ? -raw : raw, isRounded: rest !== 0n };
}

/** The decimals that a number needs, without zeros at the end. */
export function countNeededDecimals(text: string): number {
  const { digits, fraction } = parseDecimalText(text);
  if (digits === 0n) return 0;
  const zeros = /0*$/.exec(digits.toString())?.[0].length ?? 0;
  return Math.max(0, fraction - zeros);
}

/** @throws Error if the text is not a decimal, which the CSV parser excludes. */
function parseDecimalText(text: string): { digits: bigint; fraction: number; isNegative: boolean } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (!match) throw new Error(`${text} is not a decimal`);
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  return {
    digits: BigInt(whole + decimals),
    fraction: decimals.length - Number(exponent),
    isNegative: sign === '-',
  };
}

function textAt({ bytes, offsets }: TextValues, row: number): string {
  return Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString();
}
