/**
 * Reads a JSON object that is too large to be parsed in one piece: fields nobody asks for are passed over as
 * bytes, and long arrays are parsed some hundred elements at a time, so that neither the text nor the parsed form
 * of the whole ever stands in memory (RFC 8259 for the grammar).
 */
export interface LargeJsonOptions {
  /** Fields to leave out, by their path: `availableSymbols`. */
  readonly without: ReadonlySet<string>;
  /** Arrays to parse in pieces, by their path: `datasets.symbols`; each element is replaced by what this returns. */
  readonly inPieces: ReadonlyMap<string, (element: unknown) => unknown>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const PIECE_BYTES = 256 * 1024;

/** @throws SyntaxError for what is no JSON object. */
export function parseLargeJson(body: Buffer, options: LargeJsonOptions): unknown {
  const start = skipSpace(body, 0);
  const { value, end } = readObject(body, start, '', options);
  if (skipSpace(body, end) < body.length) throw new SyntaxError('more than one JSON value');
  return value;
}

interface ReadValue {
  readonly value: unknown;
  /** The position after it. */
  readonly end: number;
}

function readObject(body: Buffer, start: number, path: string, options: LargeJsonOptions): ReadValue {
  expect(body, start, OPEN_BRACE);
  const value: Record<string, unknown> = {};
  let at = skipSpace(body, start + 1);
  while (body[at] !== CLOSE_BRACE) {
    const keyEnd = valueEnd(body, at);
    const key = parse(body, at, keyEnd) as string;
    const colon = skipSpace(body, keyEnd);
    expect(body, colon, COLON);
    const field = readValue(body, skipSpace(body, colon + 1), path === '' ? key : `${path}.${key}`, options);
    if (field.value !== undefined) value[key] = field.value;
    at = afterElement(body, field.end, CLOSE_BRACE);
  }
  return { value, end: at + 1 };
}

function readValue(body: Buffer, start: number, path: string, options: LargeJsonOptions): ReadValue {
  const map = options.inPieces.get(path);
  if (map && body[start] === OPEN_BRACKET) return readPieces(body, start, map);
  const holdsOne = [...options.inPieces.keys()].some((inner) => inner.startsWith(`${path}.`));
  if (holdsOne && body[start] === OPEN_BRACE) return readObject(body, start, path, options);
  const end = valueEnd(body, start);
  return { value: options.without.has(path) ? undefined : parse(body, start, end), end };
}

function readPieces(body: Buffer, start: number, map: (element: unknown) => unknown): ReadValue {
  const value: unknown[] = [];
  let at = skipSpace(body, start + 1);
  let pieceStart = at;
  let pieceEnd = at;
  const flush = (): void => {
    if (pieceEnd === pieceStart) return;
    const elements = JSON.parse(`[${body.toString('utf8', pieceStart, pieceEnd)}]`) as unknown[];
    for (const element of elements) value.push(map(element));
  };
  while (body[at] !== CLOSE_BRACKET) {
    pieceEnd = valueEnd(body, at);
    at = afterElement(body, pieceEnd, CLOSE_BRACKET);
    if (pieceEnd - pieceStart < PIECE_BYTES) continue;
    flush();
    pieceStart = at;
    pieceEnd = at;
  }
  flush();
  return { value, end: at + 1 };
}

/** The position of the next element, or of what closes the list. */
function afterElement(body: Buffer, end: number, close: number): number {
  const at = skipSpace(body, end);
  if (body[at] === close) return at;
  expect(body, at, COMMA);
  const next = skipSpace(body, at + 1);
  if (body[next] === close) throw new SyntaxError(`a comma without an element at byte ${at}`);
  return next;
}

/** The position after the value that begins here; what is in it is not looked at. */
function valueEnd(body: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = stringEnd(body, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || (byte !== COMMA && byte !== COLON && !isSpace(byte))) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  if (depth > 0 || start >= body.length) throw new SyntaxError('the text ends early');
  return body.length;
}

function stringEnd(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at++) {
    const byte = body[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at + 1;
  }
  throw new SyntaxError('a string without an end');
}

function parse(body: Buffer, start: number, end: number): unknown {
  return JSON.parse(body.toString('utf8', start, end));
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (isSpace(body[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function expect(body: Buffer, at: number, byte: number): void {
  if (body[at] !== byte) throw new SyntaxError(`expected "${String.fromCharCode(byte)}" at byte ${at}`);
}
