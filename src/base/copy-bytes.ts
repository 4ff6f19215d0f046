/** For fewer bytes, the call of `fill` takes longer than the copy. */
const MIN_BYTES_TO_FILL = 128;

/**
 * Copies bytes to position `at` of `target`; the two must not overlap. For shared memory, V8's `set` and `copy`
 * go byte by byte unless both are aligned, which takes ten times as long.
 */
export function copyBytes(source: Uint8Array, target: Buffer, at: number): void {
  if (source.length < MIN_BYTES_TO_FILL) target.set(source, at);
  // A fill with a value that is as long as its range.
  else target.fill(source, at, at + source.length);
}
