const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const LETTER_U = 117;
const ZERO = 48;

/** Maximum size of a byte of text in JSON: `\u0000`. */
export const MAX_ESCAPE_BYTES = 6;

/** The letter after the backslash for bytes with a short escape (RFC 8259, section 7); 0 for others. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [char, letter] of Object.entries({
  '"': '"',
  '\\': '\\',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
})) {
  SHORT_ESCAPES[char.charCodeAt(0)] = letter.charCodeAt(0);
}

/** Last digits of \u0000 to \u001f, in lower case. */
const HEX = Buffer.from('0123456789abcdef');

/** Number of bytes that escaping adds to a text. */
export function countEscapeBytes(text: Uint8Array, start: number, end: number): number {
  let extra = 0;
  for (let p = start; p < end; p++) {
    const byte = text[p] as number;
    if (byte < SPACE) extra += SHORT_ESCAPES[byte] === 0 ? 5 : 1;
    else if (byte === QUOTE || byte === BACKSLASH) extra++;
  }
  return extra;
}

/** Writes UTF-8 text as the content of a JSON string; returns the position after it. */
export function writeEscaped(
  text: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  position: number,
): number {
  let at = position;
  for (let p = start; p < end; p++) {
    const byte = text[p] as number;
    const letter = SHORT_ESCAPES[byte] as number;
    if (letter > 0) {
      out[at++] = BACKSLASH;
      out[at++] = letter;
    } else if (byte < SPACE) {
      out[at++] = BACKSLASH;
      out[at++] = LETTER_U;
      out[at++] = ZERO;
      out[at++] = ZERO;
      out[at++] = ZERO + (byte >>> 4);
      out[at++] = HEX[byte & 15] as number;
    } else {
      out[at++] = byte;
    }
  }
  return at;
}
