import { assertShallow } from '../../base/json-depth.js';

/** Fields that `parseLargeJson` skips or parses in pieces. */
export interface LargeJsonOptions {
  /** Paths of fields to leave out, such as `availableSymbols`. */
  readonly excludedPaths: ReadonlySet<string>;
  /** Functions that map the elements of arrays to parse in pieces, by path, such as `datasets.symbols`. */
  readonly elementMappers: ReadonlyMap<string, (element: unknown) => unknown>;
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

/**
 * Parses a JSON object (RFC 8259) that is too large to be parsed at once. Excluded fields are skipped as bytes, and
 * long arrays are parsed some hundred elements at a time, so that neither the whole text nor its whole parsed form is
 * in memory.
 * @throws SyntaxError if the body is not a JSON object; `NestingError`. Syntax within excluded fields is not checked.
 */
export function parseLargeJson(body: Buffer, options: LargeJsonOptions): unknown {
  const start = skipSpace(body, 0);
  const { value, end } = readObject(body, start, '', options);
  if (skipSpace(body, end) < body.length) throw new SyntaxError('more than one JSON value');
  return value;
}

interface ReadValue {
  readonly value: unknown;
  /** Position after the value. */
  readonly end: number;
}

function readObject(body: Buffer, start: number, path: string, options: LargeJsonOptions): ReadValue {
  expectByte(body, start, OPEN_BRACE);
  const value: Record<string, unknown> = {};
  let at = skipSpace(body, start + 1);
  while (body[at] !== CLOSE_BRACE) {
    const keyEnd = findValueEnd(body, at);
    const key = parse(body, at, keyEnd) as string;
    const colon = skipSpace(body, keyEnd);
    expectByte(body, colon, COLON);
    const field = readValue(body, skipSpace(body, colon + 1), path === '' ? key : `${path}.${key}`, options);
    if (field.value !== undefined) value[key] = field.value;
    at = findNextElement(body, field.end, CLOSE_BRACE);
  }
  return { value, end: at + 1 };
}

function readValue(body: Buffer, start: number, path: string, options: LargeJsonOptions): ReadValue {
  const map = options.elementMappers.get(path);
  if (map && body[start] === OPEN_BRACKET) return readPieces(body, start, map);
  const containsMappedArray = [...options.elementMappers.keys()].some((inner) =>
    inner.startsWith(`${path}.`),
  );
  if (containsMappedArray && body[start] === OPEN_BRACE) return readObject(body, start, path, options);
  const end = findValueEnd(body, start);
  return { value: options.excludedPaths.has(path) ? undefined : parse(body, start, end), end };
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
    pieceEnd = findValueEnd(body, at);
    at = findNextElement(body, pieceEnd, CLOSE_BRACKET);
    if (pieceEnd - pieceStart < PIECE_BYTES) continue;
    flush();
    pieceStart = at;
    pieceEnd = at;
  }
  flush();
  return { value, end: at + 1 };
}

/** Position of the next element, or of the closing bracket. */
function findNextElement(body: Buffer, end: number, close: number): number {
  const at = skipSpace(body, end);
  if (body[at] === close) return at;
  expectByte(body, at, COMMA);
  const next = skipSpace(body, at + 1);
  if (body[next] === close) throw new SyntaxError(`a comma without an element at byte ${at}`);
  return next;
}

/** Position after the value that starts here; its content is not checked. */
function findValueEnd(body: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = findStringEnd(body, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) assertShallow(++depth);
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

function findStringEnd(body: Buffer, start: number): number {
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

function expectByte(body: Buffer, at: number, byte: number): void {
  if (body[at] !== byte) throw new SyntaxError(`expected "${String.fromCharCode(byte)}" at byte ${at}`);
}
