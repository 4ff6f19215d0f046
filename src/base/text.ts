import leven from 'leven';

/** Control characters, which would move the cursor, and characters that change the text direction. */
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces characters that may change the terminal's state in text from an untrusted source. */
export function sanitizeForTerminal(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '\ufffd');
}

/** Makes a text of a peer fit a one-line message: runs of blanks and control characters become one blank. */
export function toOneLine(text: string, maxLength: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** Compares texts by code units, so that an order does not depend on the machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Describes a value without showing it: a value in the wrong place may be a secret. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a group of settings';
  const kinds = { string: 'a text', number: 'a number', boolean: 'true or false', function: 'a function' };
  return kinds[typeof value as keyof typeof kinds] ?? 'this';
}

const MAX_SCANNED = 20_000;

/** Up to three known names nearest to a mistyped one, best first; empty if none is near. */
export function nearestNames(mistyped: string, known: Iterable<string>): readonly string[] {
  const lowerCased = mistyped.toLowerCase();
  const maxDistance = Math.max(1, Math.floor(mistyped.length / 3));
  const candidates: { name: string; distance: number }[] = [];
  let scanned = 0;
  for (const name of known) {
    // A record may have hundreds of thousands of symbols: compare only a limited number of names of similar length.
    if (Math.abs(name.length - mistyped.length) > maxDistance && !name.toLowerCase().startsWith(lowerCased))
      continue;
    if (scanned++ > MAX_SCANNED) break;
    const distance = name.toLowerCase().startsWith(lowerCased) ? 0.5 : leven(lowerCased, name.toLowerCase());
    if (distance <= maxDistance) candidates.push({ name, distance });
  }
  return candidates
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `; did you mean a, b?`, or an empty text if no name is near. */
export function didYouMean(mistyped: string, known: Iterable<string>): string {
  const names = nearestNames(mistyped, known);
  return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`;
}
