import { parseShallowJson } from '../../base/json-depth.js';
import { plural } from '../../base/units.js';
import { formatDay, parseDay } from '../../day-files/day.js';
import type { ConversionEntry, ManifestRecord } from '../manifest-record.js';
import { isLayoutPath } from '../paths.js';

export type JsonFields = Readonly<Record<string, unknown>>;

/** Formats a record as one line of JSON, with its line feed (docs/spec/manifest.md#manifest-file). */
export function formatManifestLine(record: ManifestRecord): string {
  return `${JSON.stringify(toManifestFields(record))}\n`;
}

/** Converts a record to the fields of its line. */
export function toManifestFields({ file, ...rest }: ManifestRecord): JsonFields {
  const { exchange, dataType, symbol, day } = file;
  return { exchange, dataType, symbol, date: formatDay(day), ...rest };
}

/** Parses a line; undefined if it is not a complete record. */
export function parseManifestLine(line: string): ManifestRecord | undefined {
  try {
    return parseManifestFields(parseShallowJson(line) as JsonFields);
  } catch {
    return undefined;
  }
}

/** Parses stored lines, each of which is a complete record. */
export function* parseManifestLines(lines: Iterable<string>): Generator<ManifestRecord> {
  for (const line of lines) {
    const record = parseManifestLine(line);
    if (record) yield record;
  }
}

/** Whether the record states that nothing is left of its day file. */
export function isForgotten({ dropped, conversions }: ManifestRecord): boolean {
  return dropped === true && !conversions?.length;
}

/** Lines of a manifest that were not read. */
export interface SkippedLines {
  /**
   * Whether text follows the last line feed: a line cut off by a crash, or being written by another process.
   */
  readonly hasPartialLine: boolean;
  /** Line numbers, from 1, of lines that are not records. */
  readonly damaged: readonly number[];
  /** Line numbers, from 1, of records with a path that no layout produces, for example outside the folder. */
  readonly outside: readonly number[];
}

/** Describes the skipped lines of a manifest or of a part of one, one text for each kind. */
export function* describeSkippedLines(
  { damaged, outside, hasPartialLine }: SkippedLines,
  path: string,
): Generator<string> {
  if (damaged.length > 0)
    yield `${path}: skipped ${plural(damaged.length, 'damaged line')}, the first is line ${damaged[0]}`;
  if (outside.length > 0) {
    yield `${path}: skipped ${plural(outside.length, 'record')} with a path that no day file in this folder has, the first is line ${outside[0]}`;
  }
  if (hasPartialLine) yield `${path}: skipped the last line, which is incomplete, for example after a crash`;
}

/** Parses the fields of a line. @throws Error for a field that is missing or has the wrong type. */
export function parseManifestFields(fields: JsonFields): ManifestRecord {
  const md5Match = fields['md5Match'];
  if (md5Match !== null && typeof md5Match !== 'boolean') throw new TypeError('md5Match');
  return {
    file: {
      exchange: text(fields, 'exchange'),
      dataType: text(fields, 'dataType'),
      symbol: text(fields, 'symbol'),
      day: parseDay(text(fields, 'date')),
    },
    path: text(fields, 'path'),
    bytes: count(fields, 'bytes'),
    md5: text(fields, 'md5'),
    sha256: text(fields, 'sha256'),
    md5Match,
    rows: count(fields, 'rows'),
    ...(fields['checked'] === undefined ? {} : { checked: text(fields, 'checked') }),
    ...(fields['etag'] === undefined ? {} : { etag: text(fields, 'etag') }),
    time: text(fields, 'time'),
    version: text(fields, 'version'),
    ...(fields['conversions'] === undefined ? {} : { conversions: conversions(fields['conversions']) }),
    ...object(fields['object']),
    ...(fields['dropped'] === true ? { dropped: true } : {}),
  };
}

function conversions(value: unknown): readonly ConversionEntry[] {
  if (!Array.isArray(value)) throw new TypeError('conversions');
  return value.map((fields: JsonFields) => {
    const path = text(fields, 'path');
    if (!isLayoutPath(path)) throw new RangeError(path);
    return {
      path,
      bytes: count(fields, 'bytes'),
      sha256: text(fields, 'sha256'),
      rows: count(fields, 'rows'),
      ...(fields['computed'] === undefined ? {} : { computed: text(fields, 'computed') }),
      options: options(fields['options']),
      ...(fields['version'] === undefined ? {} : { version: text(fields, 'version') }),
      ...object(fields['object']),
    };
  });
}

function object(value: unknown): Pick<ManifestRecord, 'object'> {
  if (value === undefined) return {};
  const fields = value as JsonFields;
  const partSize = fields['partSize'] === undefined ? {} : { partSize: count(fields, 'partSize') };
  return { object: { etag: text(fields, 'etag'), ...partSize } };
}

function options(value: unknown): ConversionEntry['options'] {
  const isPlain = (item: unknown): boolean => typeof item === 'string' || typeof item === 'number';
  if (typeof value !== 'object' || value === null || !Object.values(value).every(isPlain)) {
    throw new TypeError('options');
  }
  return value as ConversionEntry['options'];
}

function text(fields: JsonFields, key: string): string {
  const value = fields[key];
  if (typeof value !== 'string') throw new TypeError(key);
  return value;
}

function count(fields: JsonFields, key: string): number {
  const value = fields[key];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new TypeError(key);
  return value;
}

const LF = 0x0a;

/**
 * Receives each line without its line feed, and its number from 1 on. A result of `damaged` or `outside` counts the line
 * as skipped.
 */
type AddLine = (line: string, number: number) => unknown;

/** Splits the chunks of a file or an object into lines, and counts them, also those that are no records. */
export class LineReader {
  /** Number of lines so far, including skipped ones. */
  lines = 0;
  readonly #damaged: number[] = [];
  readonly #outside: number[] = [];
  readonly #addLine: AddLine;
  #rest: Buffer = Buffer.alloc(0);

  constructor(addLine: AddLine) {
    this.#addLine = addLine;
  }

  /** Bytes after the last complete line. */
  get partialBytes(): number {
    return this.#rest.length;
  }

  get skipped(): SkippedLines {
    return { damaged: this.#damaged, outside: this.#outside, hasPartialLine: this.partialBytes > 0 };
  }

  /** @param chunk must not change afterwards. */
  addChunk(chunk: Buffer): void {
    const searched = this.#rest.length;
    const bytes = searched === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(LF, searched); at !== -1; at = bytes.indexOf(LF, from)) {
      this.#add(bytes.toString('utf8', from, at));
      from = at + 1;
    }
    this.#rest = bytes.subarray(from);
  }

  /** Reads a last line without a line feed, too, where it is complete, since objects are written atomically. */
  end(): void {
    if (this.partialBytes > 0) this.#add(this.#rest.toString('utf8'));
    this.#rest = Buffer.alloc(0);
  }

  #add(line: string): void {
    this.lines++;
    const outcome = line === '' ? undefined : this.#addLine(line, this.lines);
    if (outcome === 'damaged') this.#damaged.push(this.lines);
    else if (outcome === 'outside') this.#outside.push(this.lines);
  }
}

/** Maximum size of a block, at which the last one wastes little memory. */
const BLOCK_BYTES = 2 ** 24;
/** Most manifests and logs are small; memory that they do not need makes the garbage collector run. */
const FIRST_BLOCK_BYTES = 2 ** 14;
const BLOCK_GROWTH = 4;
const LENGTH_BYTES = 4;

/**
 * The last line of each path, in the order of first appearance. Lines are stored as bytes outside the heap:
 * there may be a million, few are read, and as strings they would slow down garbage collection by seconds.
 */
export class LineStore {
  /** By path, the index of the block multiplied by the maximum block size, plus the offset in the block. */
  readonly #positions = new Map<string, number>();
  readonly #blocks: Buffer[] = [];
  #end = 0;

  get size(): number {
    return this.#positions.size;
  }

  has(path: string): boolean {
    return this.#positions.has(path);
  }

  get(path: string): string | undefined {
    const position = this.#positions.get(path);
    return position === undefined ? undefined : this.#lineAt(position);
  }

  set(path: string, line: string): void {
    const length = Buffer.byteLength(line);
    let block = this.#blocks.at(-1);
    if (!block || this.#end + LENGTH_BYTES + length > block.length) {
      const usual = block ? Math.min(BLOCK_BYTES, block.length * BLOCK_GROWTH) : FIRST_BLOCK_BYTES;
      block = Buffer.allocUnsafeSlow(Math.max(usual, LENGTH_BYTES + length));
      this.#blocks.push(block);
      this.#end = 0;
    }
    this.#positions.set(path, (this.#blocks.length - 1) * BLOCK_BYTES + this.#end);
    block.writeUInt32LE(length, this.#end);
    block.write(line, this.#end + LENGTH_BYTES);
    this.#end += LENGTH_BYTES + length;
    // After a line longer than the largest usual block, start a new block, so that offsets stay below the block size.
    if (this.#end >= BLOCK_BYTES) this.#end = block.length;
  }

  delete(path: string): void {
    this.#positions.delete(path);
  }

  *values(): IterableIterator<string> {
    for (const position of this.#positions.values()) yield this.#lineAt(position);
  }

  #lineAt(position: number): string {
    const block = this.#blocks[Math.floor(position / BLOCK_BYTES)];
    const start = position % BLOCK_BYTES;
    const from = start + LENGTH_BYTES;
    return block?.toString('utf8', from, from + block.readUInt32LE(start)) ?? '';
  }
}
