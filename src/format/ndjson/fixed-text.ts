/**
 * Maximum number of bytes that `copyFixed` writes after the end of its text; the target must have this room.
 */
export const WORD_BYTES = 8;

/** ASCII or UTF-8 text that is written often, padded with `WORD_BYTES` bytes. */
export interface FixedText {
  readonly view: DataView;
  readonly length: number;
}

/** Destination of lines. Both views have the same memory. */
export interface LineTarget {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export function createFixedText(text: string): FixedText {
  const bytes = Buffer.from(text);
  const padded = new Uint8Array(bytes.length + WORD_BYTES);
  padded.set(bytes);
  return { view: new DataView(padded.buffer), length: bytes.length };
}

export function createLineTarget(size: number): LineTarget {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Copies eight bytes at a time, so padding is copied, too. Returns the position after the text. */
export function copyFixed({ view, length }: FixedText, to: DataView, at: number): number {
  copyWords(view, length, to, at);
  return at + length;
}

/**
 * Copies the first `length` bytes of valid UTF-8, and some further bytes. Words are copied as doubles, with
 * one instruction each way. They are never NaN, whose bits might change: that would need a byte from f0 to ff
 * before 7f or ff.
 */
export function copyWords(from: DataView, length: number, to: DataView, at: number): void {
  for (let p = 0; p < length; p += WORD_BYTES) to.setFloat64(at + p, from.getFloat64(p, true), true);
}
