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
