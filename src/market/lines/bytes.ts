/** What `copyFixed` writes at most behind the end of what it copies: room that the target must have. */
export const WORD = 8;

/** ASCII or UTF-8 text that is written often, with `WORD` bytes behind it. */
export interface Fixed {
  readonly view: DataView;
  readonly length: number;
}

/** Where lines go. Both are the same memory. */
export interface Target {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export function fixed(text: string): Fixed {
  const bytes = Buffer.from(text);
  const padded = new Uint8Array(bytes.length + WORD);
  padded.set(bytes);
  return { view: new DataView(padded.buffer), length: bytes.length };
}

export function targetOf(size: number): Target {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Copies eight bytes at a time; returns the position behind. Zeros behind the text are copied too. */
export function copyFixed({ view, length }: Fixed, to: DataView, at: number): number {
  copyWords(view, length, to, at);
  return at + length;
}

/**
 * Copies the first bytes of what is valid UTF-8, some bytes further on too. A word goes as a double, one instruction
 * each way; it is never a NaN, whose bits might change: that takes a byte of f0 to ff before 7f or ff.
 */
export function copyWords(from: DataView, length: number, to: DataView, at: number): void {
  for (let p = 0; p < length; p += WORD) to.setFloat64(at + p, from.getFloat64(p, true), true);
}
