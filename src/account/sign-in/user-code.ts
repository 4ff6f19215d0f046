/** Removes the hyphens and blanks of a code, as the issuer requires; letters keep their case. */
export function normalizeUserCode(text: string): string {
  return text.replace(/[\s\p{Pd}]+/gu, '');
}
