/** A code as the issuer takes it: without the hyphens and blanks that make it easy to read; letters as typed. */
export function normalizeUserCode(text: string): string {
  return text.replace(/[\s\p{Pd}]+/gu, '');
}
