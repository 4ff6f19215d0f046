import { DATA_TYPES, dataTypeColumns } from '../../dataset/data-types.js';

const LF = 10;
/** Longer than any header; the parser reports the error of a longer line. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Buffers a file's first bytes until the header is complete, since it determines how the rest is read. */
export class HeaderBuffer {
  #bytes: Buffer | undefined;

  /** Returns all bytes so far, once they contain the header; undefined before. */
  push(chunk: Buffer): Buffer | undefined {
    const from = this.#bytes?.length ?? 0;
    const bytes = Buffer.concat([this.bytes, chunk]);
    const isComplete = bytes.includes(LF, from) || bytes.length > MAX_HEADER_BYTES;
    this.#bytes = isComplete ? undefined : bytes;
    return isComplete ? bytes : undefined;
  }

  /** The buffered bytes. */
  get bytes(): Buffer {
    return this.#bytes ?? Buffer.alloc(0);
  }
}

/** The column names in a file's first line, without quotes and a byte order mark. */
export function parseHeaderNames(bytes: Buffer): readonly string[] {
  const end = bytes.indexOf(LF);
  const line = bytes.toString('utf8', 0, end < 0 ? bytes.length : end).replace(/^\uFEFF|\r$/g, '');
  if (!line.includes('"')) return line.split(',');
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

/**
 * The data type whose columns a header contains. Of several, the one with the most columns; of equal ones,
 * the first: a header of `liquidations` gives `trades`, and one of `book_ticker` gives `quotes`. Undefined if there
 * is none.
 */
export function inferDataType(names: readonly string[]): string | undefined {
  const found = new Set(names);
  const matching = DATA_TYPES.map((dataType) => ({ dataType, columns: dataTypeColumns(dataType) ?? [] }))
    .filter(({ columns }) => columns.every(({ name }) => found.has(name)))
    .sort((a, b) => b.columns.length - a.columns.length);
  return matching[0]?.dataType;
}
