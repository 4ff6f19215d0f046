/** What `copyFixed` writes at most behind the end of what it copies: room that the target must have. */
export const WORD_BYTES = 8;

/** ASCII or UTF-8 text that is written often, with `WORD_BYTES` bytes behind it. */
export interface FixedText {
  readonly view: DataView;
  readonly length: number;
}

/** Where lines go. Both are the same memory. */
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

/** Copies eight bytes at a time; returns the position behind. Zeros behind the text are copied too. */
export function copyFixed({ view, length }: FixedText, to: DataView, at: number): number {
  copyWords(view, length, to, at);
  return at + length;
}

/**
 * Copies the first bytes of what is valid UTF-8, some bytes further on too. A word goes as a double, one instruction
 * each way; it is never a NaN, whose bits might change: that takes a byte of f0 to ff before 7f or ff.
 */
export function copyWords(from: DataView, length: number, to: DataView, at: number): void {
  for (let p = 0; p < length; p += WORD_BYTES) to.setFloat64(at + p, from.getFloat64(p, true), true);
}
