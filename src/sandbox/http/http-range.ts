/** Bytes of a whole; the end is not included. */
export interface HttpRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header of a single range (RFC 9110, section 14.1.2) against a size in bytes. Undefined, and so
 * the whole, where there is none or one of another form; `unsatisfiable` where it begins past the end.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): HttpRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size) return 'unsatisfiable';
  return end <= start ? undefined : { start, end };
}
