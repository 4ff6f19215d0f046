import { DATA_TYPES, dataTypeColumns } from '../../dataset/data-types.js';

const LF = 10;
/** Longer than any header; the parser says what is wrong with such a line. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Holds a file's first bytes back until its header is whole, since how to read the rest depends on it. */
export class HeaderBuffer {
  #bytes: Buffer | undefined;

  /** Gives all bytes so far, once they hold the header, and forgets them; undefined before. */
  push(chunk: Buffer): Buffer | undefined {
    const from = this.#bytes?.length ?? 0;
    const bytes = Buffer.concat([this.bytes, chunk]);
    const isWhole = bytes.includes(LF, from) || bytes.length > MAX_HEADER_BYTES;
    this.#bytes = isWhole ? undefined : bytes;
    return isWhole ? bytes : undefined;
  }

  /** What is held back. */
  get bytes(): Buffer {
    return this.#bytes ?? Buffer.alloc(0);
  }
}

/** The names in a file's first line; quotes around them are not part of them. */
export function parseHeaderNames(bytes: Buffer): readonly string[] {
  const end = bytes.indexOf(LF);
  return bytes
    .toString('utf8', 0, end < 0 ? bytes.length : end)
    .replace(/\r$/, '')
    .split(',')
    .map((name) => name.replace(/^"(.*)"$/, '$1'));
}

/**
 * The data type whose columns a header has, the one with the most; of types with the same columns, the first.
 * Undefined where it is none's.
 */
export function inferDataType(names: readonly string[]): string | undefined {
  const found = new Set(names);
  const fitting = DATA_TYPES.map((dataType) => ({ dataType, columns: dataTypeColumns(dataType) ?? [] }))
    .filter(({ columns }) => columns.every(({ name }) => found.has(name)))
    .sort((a, b) => b.columns.length - a.columns.length);
  return fitting[0]?.dataType;
}
