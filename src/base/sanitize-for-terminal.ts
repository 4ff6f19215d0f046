/** Control characters, which would move the cursor, and characters that change the text direction. */
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces characters that may change the terminal's state in text from an untrusted source. */
export function sanitizeForTerminal(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '\ufffd');
}
