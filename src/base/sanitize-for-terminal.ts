/** Control characters, which would move the terminal's cursor, and those that turn the direction of writing. */
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text from outside for the screen. */
export function sanitizeForTerminal(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '\ufffd');
}
