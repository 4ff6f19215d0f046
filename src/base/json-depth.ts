/** Shorter texts have less depth than recursive code can bear. */
const SHORT_BYTES = 2000;
/** Real documents have a few levels; `JSON.stringify` and other recursive code fail at some thousands. */
const MAX_DEPTH = 500;

const QUOTE = 34;
const BACKSLASH = 92;

/** Parses JSON of another party. @throws SyntaxError if it is not JSON, or nested too deep for recursive code. */
export function parseShallowJson(text: string): unknown {
  if (text.length > SHORT_BYTES) assertShallowJson(Buffer.from(text));
  return JSON.parse(text);
}

/** @throws SyntaxError if values of a JSON text in UTF-8 are nested too deep for recursive code. */
export function assertShallowJson(body: Buffer): void {
  if (body.length <= SHORT_BYTES) return;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = findTextEnd(body, at + 1);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_DEPTH) throw new SyntaxError(`values are nested more than ${MAX_DEPTH} deep`);
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
}

/** Address of the quote that ends a text. */
function findTextEnd(body: Buffer, start: number): number {
  for (let at = start; at < body.length; at++) {
    if (body[at] === BACKSLASH) at++;
    else if (body[at] === QUOTE) return at;
  }
  return body.length;
}
