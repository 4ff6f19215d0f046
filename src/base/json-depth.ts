/** Shorter texts have less depth than recursive code can bear. */
const SHORT_BYTES = 2000;
/** Real documents have a few levels; `JSON.stringify` and other recursive code fail at some thousands. */
const MAX_DEPTH = 500;

const QUOTE = 34;
const BACKSLASH = 92;

/** Values are nested too deep for recursive code. */
export class NestingError extends SyntaxError {}

/**
 * Parses JSON of another party. @param json a Buffer in UTF-8.
 * @throws SyntaxError if it is not JSON; `NestingError`.
 */
export function parseShallowJson(json: string | Buffer): unknown {
  if (json.length > SHORT_BYTES) assertShallowJson(typeof json === 'string' ? Buffer.from(json) : json);
  return JSON.parse(json.toString());
}

function assertShallowJson(body: Buffer): void {
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = findTextEnd(body, at + 1);
    else if (byte === 0x5b || byte === 0x7b) assertShallow(++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
}

/** For code that counts levels itself. @throws NestingError. */
export function assertShallow(depth: number): void {
  if (depth > MAX_DEPTH) throw new NestingError(`values are nested more than ${MAX_DEPTH} deep`);
}

/** Address of the quote that ends a text. */
function findTextEnd(body: Buffer, start: number): number {
  for (let at = start; at < body.length; at++) {
    if (body[at] === BACKSLASH) at++;
    else if (body[at] === QUOTE) return at;
  }
  return body.length;
}
