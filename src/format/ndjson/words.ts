/** A copy by words goes up to this many bytes past its end: these must be free in what it writes to. */
export const WORD = 8;

/**
 * Copies `from[start]` up to `from[end]` to `to[at]`, eight bytes at a time; up to seven more than asked for are
 * copied too, so both views must go on for `WORD` bytes, of valid UTF-8 in `from`. A word goes as a double, which is
 * one instruction each way; it is never a NaN, whose bits might change, since that takes f0 to ff before 7f or ff.
 */
export function copyWords(from: DataView, start: number, end: number, to: DataView, at: number): void {
  for (let p = start, q = at; p < end; p += WORD, q += WORD) {
    to.setFloat64(q, from.getFloat64(p, true), true);
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
