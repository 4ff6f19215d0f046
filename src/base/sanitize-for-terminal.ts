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
