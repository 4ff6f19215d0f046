/** A byte range; `end` is not included. */
export interface HttpRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header with a single range (RFC 9110, section 14.1.2) for a size in bytes.
 * @returns undefined for the whole content, if there is no header or it has another form; `unsatisfiable` if the range
 * starts after the end.
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
