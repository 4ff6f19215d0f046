import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { decompressLz4Block, decompressSnappy, decompressZstd } from '../decompress.js';
import { type StepLimit, TooLargeError } from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import { Encoding, PageType } from './parquet-schema.js';
import { readThrift, type ThriftStruct, type ThriftValue } from './thrift.js';

/** Steps to read a header; decompressing BYTES_PER_STEP bytes is one. */
const PAGE_STEPS = 400;
const BYTES_PER_STEP = 8;

/** Larger pages are not read into memory. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Read at once, and limit of a page's header. */
const WINDOW_BYTES = 64 * 1024;
const HEADER_LIMITS = { values: 1000, fieldValues: 1000, fieldBytes: WINDOW_BYTES };

/** A data page of a column without nesting. */
export interface DataPage {
  readonly rows: number;
  /** Reads the page's values. */
  read(): Promise<PageSections>;
}

/** Sections of a data page. */
export interface PageSections {
  readonly rows: number;
  readonly encoding: number;
  /** Definition levels of an optional column: runs of the RLE hybrid. */
  readonly levels: Buffer;
  readonly values: Buffer;
}

/** Values of the column's dictionary, PLAIN-encoded. */
export interface DictionaryPage {
  readonly size: number;
  readonly values: Buffer;
}

/** Position of a column chunk in a file. */
export interface ChunkPlace {
  readonly codec: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the pages of a column chunk, one at a time. Each size and count of their headers is checked before memory is
 * allocated for it. Throws a RangeError or another error for damaged data, and errors of `file.read`.
 */
export class PageReader {
  readonly #file: RandomBytes;
  readonly #chunk: ChunkPlace;
  readonly #isOptional: boolean;
  readonly #steps: StepLimit;
  #at: number;
  #dictionary: DictionaryPage | undefined;
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  constructor(file: RandomBytes, chunk: ChunkPlace, isOptional: boolean, steps: StepLimit) {
    this.#file = file;
    this.#chunk = chunk;
    this.#isOptional = isOptional;
    this.#steps = steps;
    this.#at = chunk.start;
  }

  /** The dictionary, once the page after it was requested. */
  get dictionary(): DictionaryPage | undefined {
    return this.#dictionary;
  }

  /** The next data page; undefined at the end of the chunk. */
  async next(): Promise<DataPage | undefined> {
    while (this.#at < this.#chunk.end) {
      this.#steps.take(PAGE_STEPS);
      const { header, bodyAt } = await this.#readHeader();
      const type = header.get(1);
      const compressed = count(header.get(3), MAX_PAGE_BYTES, 'a page of {} bytes');
      const size = count(header.get(2), MAX_PAGE_BYTES, 'a page of {} bytes');
      if (compressed > this.#chunk.end - bodyAt) throw new RangeError('a page is outside of its column');
      this.#at = bodyAt + compressed;
      const readBody = (): Promise<Buffer> => this.#read(bodyAt, compressed);
      if (type === PageType.dictionary) {
        const details = struct(header.get(7));
        const values = await this.#decompress(await readBody(), size);
        // A value takes a bit at least.
        this.#dictionary = {
          size: count(details.get(1), 8 * values.length, 'a dictionary of {} values'),
          values,
        };
      } else if (type === PageType.data) {
        const details = struct(header.get(5));
        const rows = rowsOf(details);
        return {
          rows,
          read: async () => this.#splitPage(details, rows, await this.#decompress(await readBody(), size)),
        };
      } else if (type === PageType.dataV2) {
        const details = struct(header.get(8));
        const rows = rowsOf(details);
        return { rows, read: async () => this.#splitPageV2(details, rows, await readBody(), size) };
      }
    }
    return undefined;
  }

  async #readHeader(): Promise<{ readonly header: ThriftStruct; readonly bodyAt: number }> {
    const length = Math.min(WINDOW_BYTES, this.#chunk.end - this.#at);
    const { start, bytes } = this.#window;
    let head = bytes.subarray(this.#at - start, this.#at - start + length);
    // Most headers have less than a hundred bytes.
    if (this.#at < start || head.length < Math.min(length, 1024)) {
      head = await this.#file.read(this.#at, length);
      this.#window = { start: this.#at, bytes: head };
    }
    const { struct: header, length: headerLength } = readThrift(head, HEADER_LIMITS);
    return { header, bodyAt: this.#at + headerLength };
  }

  async #read(at: number, length: number): Promise<Buffer> {
    const { start, bytes } = this.#window;
    const known = at >= start ? bytes.subarray(at - start, at - start + length) : bytes;
    return at >= start && known.length === length ? known : this.#file.read(at, length);
  }

  /** Version 1: the levels are compressed together with the values. */
  #splitPage(details: ThriftStruct, rows: number, body: Buffer): PageSections {
    const encoding = Number(details.get(2));
    if (!this.#isOptional) return { rows, encoding, levels: body.subarray(0, 0), values: body };
    if (details.get(3) !== Encoding.rle)
      throw new RangeError(`levels of encoding ${details.get(3)} are not supported`);
    const end = 4 + body.readUInt32LE(0);
    if (end > body.length) throw new RangeError('the levels of a page are cut off');
    return { rows, encoding, levels: body.subarray(4, end), values: body.subarray(end) };
  }

  async #splitPageV2(details: ThriftStruct, rows: number, body: Buffer, size: number): Promise<PageSections> {
    const repetitionBytes = count(details.get(6), body.length, 'levels of {} bytes');
    const levelBytes = count(details.get(5), body.length - repetitionBytes, 'levels of {} bytes');
    const valuesAt = repetitionBytes + levelBytes;
    const values = body.subarray(valuesAt);
    const isCompressed = details.get(7) !== false;
    return {
      rows,
      encoding: Number(details.get(4)),
      levels: this.#isOptional ? body.subarray(repetitionBytes, valuesAt) : body.subarray(0, 0),
      values: isCompressed ? await this.#decompress(values, Math.max(0, size - valuesAt)) : values,
    };
  }

  async #decompress(bytes: Buffer, size: number): Promise<Buffer> {
    this.#steps.take(size / BYTES_PER_STEP);
    // Some writers compress nothing to nothing.
    if (size === 0) return bytes.subarray(0, 0);
    const values = await DECOMPRESSORS[this.#chunk.codec]?.(bytes, size);
    if (!values) throw new RangeError(`compression ${this.#chunk.codec} is not supported`);
    if (values.length !== size) throw new RangeError(`a page of ${values.length} bytes, not ${size}`);
    return Buffer.from(values.buffer, values.byteOffset, values.length);
  }
}

type Decompress = (bytes: Buffer, size: number) => Uint8Array | Promise<Uint8Array>;

/** By their numbers in CompressionCodec (parquet.thrift). The result has at most `size` bytes. */
const DECOMPRESSORS: Readonly<Record<number, Decompress>> = {
  0: (bytes) => bytes,
  1: decompressSnappy,
  2: (bytes, size) => unzipSync(bytes, toZlibOptions(size)),
  4: (bytes, size) => brotliDecompressSync(bytes, toZlibOptions(size)),
  5: decompressHadoopLz4,
  6: decompressZstd,
  7: decompressLz4Raw,
};

/** One chunk for the whole result, so that it is not copied. */
function toZlibOptions(size: number): { readonly maxOutputLength: number; readonly chunkSize: number } {
  return { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size + 1) };
}

function decompressLz4Raw(bytes: Buffer, size: number): Uint8Array {
  const out = new Uint8Array(size);
  return out.subarray(0, decompressLz4Block(bytes, out, 0));
}

/** Blocks with their sizes, as Hadoop writes them; otherwise one block. */
function decompressHadoopLz4(bytes: Buffer, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = at + 8 + (at + 8 <= bytes.length ? bytes.readUInt32BE(at + 4) : 0);
    if (at + 8 > bytes.length || end > bytes.length || bytes.readUInt32BE(at) > size - length)
      return decompressLz4Raw(bytes, size);
    length = decompressLz4Block(bytes.subarray(at + 8, end), out, length);
    at = end;
  }
  return out.subarray(0, length);
}

/**
 * Reads where a column chunk is.
 * @param column ColumnChunk of parquet.thrift.
 * @throws RangeError if it is not in the file.
 */
export function locateChunk(column: ThriftValue | undefined, fileBytes: number): ChunkPlace {
  const metadata = struct(struct(column).get(3));
  const dictionaryAt = metadata.get(11);
  const dataAt = count(metadata.get(9), fileBytes, 'a page at {}');
  // Some writers state 0 for a column without a dictionary.
  const start =
    typeof dictionaryAt === 'number' && dictionaryAt > 0 ? Math.min(dictionaryAt, dataAt) : dataAt;
  const bytes = count(metadata.get(7), fileBytes - start, 'a column of {} bytes');
  return { codec: Number(metadata.get(4)), start, end: start + bytes };
}

function rowsOf(details: ThriftStruct): number {
  return count(details.get(1), 2 ** 31, 'a page of {} values');
}

/** A count that must not be negative nor larger than a limit. */
function count(value: ThriftValue | undefined, limit: number, what: string): number {
  if (typeof value !== 'number') throw new RangeError(MISSING);
  const isCount = Number.isSafeInteger(value) && value >= 0;
  if (isCount && value <= limit) return value;
  const message = `${what.replace('{}', String(value))} is too large`;
  throw isCount && limit === MAX_PAGE_BYTES ? new TooLargeError(message) : new RangeError(message);
}

const MISSING = 'a part of its metadata is missing';

function struct(value: ThriftValue | undefined): ThriftStruct {
  if (value instanceof Map) return value;
  throw new RangeError(MISSING);
}
