import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { decompressLz4, decompressZstd } from '../decompress.js';
import { type Cell, describeDamage, isDamage, StepLimit, TooLargeError } from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import {
  type ArrowFieldType,
  FlatTable,
  isBitSet,
  parseFieldType,
  parseIntegerType,
  readLong,
} from './arrow-field-type.js';
import { CONTINUATION, MESSAGE_PREFIX_BYTES, MessageHeader } from './arrow-message.js';
import { ARROW_MAGIC, FOOTER_KEYS } from './arrow-writer.js';

/** Content of an Arrow file's footer. */
export interface ArrowFooter {
  readonly fields: readonly FooterField[];
  /** Metadata of the schema. */
  readonly keyValues: Readonly<Record<string, string>>;
  readonly dictionaries: readonly ArrowBlock[];
  readonly batches: readonly ArrowBlock[];
  /** Stated by files of tickhaul. */
  readonly rows: number | undefined;
  readonly createdBy: string | undefined;
}

export interface FooterField {
  readonly name: string;
  readonly type: ArrowFieldType;
  /** Of a field whose values are positions in a dictionary: its number, and the type of the positions. */
  readonly dictionary: { readonly id: number; readonly indices: ArrowFieldType } | undefined;
}

/** Size of the footer's length and the magic bytes. */
const TAIL_BYTES = 4 + ARROW_MAGIC.length;
/** Most footers are this close to a file's end, so one request to a store is enough. */
const FOOTER_READ_BYTES = 64 * 1024;
const BLOCK_BYTES = 24;
const MAX_FOOTER_BYTES = 32 * 1024 * 1024;
const MAX_COLUMNS = 4096;

/**
 * Reads the footer of an Arrow file from any writer
 * (https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).
 * @param path for errors.
 * @throws TickhaulError `corrupt` if there is none, and errors of `file.read`.
 */
export async function readArrowFooter(file: RandomBytes, path: string): Promise<ArrowFooter> {
  const { bytes } = file;
  if (bytes < 2 * TAIL_BYTES) throw createCorruptError(path, `it has only ${plural(bytes, 'byte')}`);
  const tailBytes = Math.min(FOOTER_READ_BYTES, bytes);
  const end = await file.read(bytes - tailBytes, tailBytes);
  if (!end.subarray(-ARROW_MAGIC.length).equals(ARROW_MAGIC)) {
    if ((await file.read(0, 4)).readUInt32LE() === CONTINUATION)
      throw new TickhaulError('corrupt', `${path}: an Arrow stream, not a file; only files can be read here`);
    throw createCorruptError(path, 'it does not end with ARROW1');
  }
  const length = end.readUInt32LE(tailBytes - TAIL_BYTES);
  if (length > bytes - 2 * TAIL_BYTES)
    throw createCorruptError(path, `its footer of ${plural(length, 'byte')} is cut off`);
  if (length > MAX_FOOTER_BYTES) throw createCorruptError(path, `its footer has ${length} bytes`);
  const footer =
    length + TAIL_BYTES <= tailBytes
      ? end.subarray(-length - TAIL_BYTES, -TAIL_BYTES)
      : await file.read(bytes - length - TAIL_BYTES, length);
  try {
    return parseFooter(footer, bytes);
  } catch (error) {
    throw toCorruptError(path, error);
  }
}

/** Rows of all batches. @throws as `readArrowFooter` does. */
export async function countRows(file: RandomBytes, path: string, footer: ArrowFooter): Promise<number> {
  if (footer.rows !== undefined) return footer.rows;
  let rows = 0;
  try {
    for (const block of footer.batches)
      rows += (await readHeader(file, block, MessageHeader.recordBatch)).long(0);
  } catch (error) {
    throw toCorruptError(path, error);
  }
  return rows;
}

/** Converts an error of damaged bytes to `corrupt`, and returns other errors unchanged. */
function toCorruptError(path: string, error: unknown): unknown {
  return isDamage(error) ? createCorruptError(path, describeDamage(error)) : error;
}

function parseFooter(bytes: Buffer, fileBytes: number): ArrowFooter {
  const footer = FlatTable.root(bytes);
  const schema = footer.table(1);
  if (!schema) throw new RangeError('the schema is missing in its footer');
  const metadata = parseKeyValues(footer, 4);
  const rows = Number(metadata[FOOTER_KEYS.rows]);
  const fields = schema.tables(1);
  if (fields.length > MAX_COLUMNS) throw new RangeError(`more than ${MAX_COLUMNS} columns`);
  const dictionaries = parseBlocks(footer, 2);
  const batches = parseBlocks(footer, 3);
  // No two of them share bytes.
  const blockBytes = [...dictionaries, ...batches].reduce(
    (sum, block) => sum + block.messageLength + block.bodyLength,
    0,
  );
  if (blockBytes > fileBytes) throw new RangeError(`${blockBytes} bytes in blocks`);
  return {
    fields: fields.map(parseField),
    keyValues: parseKeyValues(schema, 2),
    dictionaries,
    batches,
    rows: Number.isSafeInteger(rows) ? rows : undefined,
    createdBy: metadata[FOOTER_KEYS.createdBy],
  };
}

function parseBlocks(footer: FlatTable, field: number): readonly ArrowBlock[] {
  return footer.structs(field, BLOCK_BYTES).map((block) => ({
    offset: readLong(block, 0),
    messageLength: block.readInt32LE(8),
    bodyLength: readLong(block, 16),
  }));
}

function parseKeyValues(table: FlatTable, field: number): Readonly<Record<string, string>> {
  const pairs = table.tables(field).map((pair) => [pair.text(0) ?? '', pair.text(1) ?? '']);
  return Object.fromEntries(pairs);
}

function parseField(field: FlatTable): FooterField {
  const dictionary = field.table(4);
  return {
    name: field.text(0) ?? '',
    type: parseFieldType(field),
    dictionary: dictionary && { id: dictionary.long(0), indices: parseIntegerType(dictionary.table(1)) },
  };
}

function createCorruptError(path: string, problem: string): TickhaulError {
  return new TickhaulError(
    'corrupt',
    `${path}: not a complete Arrow file, ${problem}; convert its source again`,
  );
}

/** Position of a message in a file. */
export interface ArrowBlock {
  readonly offset: number;
  readonly messageLength: number;
  readonly bodyLength: number;
}

/** A record batch in a file. Its columns are read on request. */
export interface StoredRecordBatch {
  readonly rows: number;
  /** Number of nulls of each column. */
  readonly nullCounts: readonly number[];
  /** Reads a column, not two at a time; the result returns the cell of a row. @throws RangeError for damaged or unsupported data. */
  readColumn(index: number): Promise<(row: number) => Cell>;
  /** Memory of the column that was read last. */
  columnBytes(): number;
}

/** Larger buffers of another writer are not read into memory. */
const MAX_BUFFER_BYTES = 1024 ** 3;
/** Limit of a buffer that is compressed, in both of its forms together, and of the dictionaries of a small file. */
const SMALL_BUFFER_BYTES = 128 * 1024 * 1024;
/** A message has the places of all buffers of a batch, but no data. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Reads the header of a message. @throws RangeError, and errors of `file.read`. */
export async function readHeader(
  file: RandomBytes,
  { offset, messageLength, bodyLength }: ArrowBlock,
  type: (typeof MessageHeader)[keyof typeof MessageHeader],
): Promise<FlatTable> {
  const end = offset + messageLength + bodyLength;
  if (offset < 0 || messageLength < MESSAGE_PREFIX_BYTES || bodyLength < 0 || end > file.bytes)
    throw new RangeError('a record batch is cut off');
  if (messageLength > MAX_MESSAGE_BYTES) throw new RangeError(`a message of ${messageLength} bytes`);
  const message = await file.read(offset, messageLength);
  // Before Arrow 0.15, only the length was before the metadata.
  const hasMarker = message.readUInt32LE(0) === CONTINUATION;
  const table = FlatTable.root(message.subarray(hasMarker ? MESSAGE_PREFIX_BYTES : 4));
  const header = table.table(2);
  if (table.integer(1, 8) !== type || !header)
    throw new RangeError('another message is where its footer states a record batch');
  return header;
}

/** Reads a record batch without its columns. @throws as `readHeader` does. */
export async function readRecordBatch(
  file: RandomBytes,
  block: ArrowBlock,
  types: readonly ArrowFieldType[],
  limits: ReadLimits,
): Promise<StoredRecordBatch> {
  return openRecordBatch(
    file,
    block,
    await readHeader(file, block, MessageHeader.recordBatch),
    types,
    limits,
  );
}

/** Limits what is read of a file. */
export interface ReadLimits {
  readonly steps: StepLimit;
  /** Memory for what is kept, or for the buffers of one column. */
  readonly maxBytes: number;
}

export function createReadLimits(file: RandomBytes): ReadLimits {
  return { steps: new StepLimit(file.bytes), maxBytes: Math.max(SMALL_BUFFER_BYTES, file.bytes) };
}

/** Steps to read a message; reading BYTES_PER_STEP bytes is one. */
const MESSAGE_STEPS = 400;
const BYTES_PER_STEP = 8;

/** @param batch RecordBatch table of the message, or of the dictionary in it. */
export function openRecordBatch(
  file: RandomBytes,
  block: ArrowBlock,
  batch: FlatTable,
  types: readonly ArrowFieldType[],
  { steps, maxBytes }: ReadLimits,
): StoredRecordBatch {
  steps.take(MESSAGE_STEPS);
  const rows = batch.long(0);
  const nodes = batch.structs(1, 16);
  const buffers = batch.structs(2, 16);
  const viewCounts = batch.longs(4);
  const compression = batch.table(3);
  if (nodes.length !== types.length) throw new RangeError('a record batch has other columns than its schema');
  // Each row has a bit at least, except if all are null.
  if (rows < 0 || (types.some(({ layout }) => layout !== 'none') && rows > 8 * MAX_BUFFER_BYTES))
    throw new RangeError(`a record batch of ${rows} rows`);

  /** Bytes of the column's buffers so far. */
  let columnBytes = 0;
  const readBuffer = async (index: number): Promise<Buffer> => {
    const bytes = await readStored(index);
    columnBytes += bytes.length;
    if (columnBytes > maxBytes) throw new TooLargeError(`a column of more than ${maxBytes} bytes`);
    return bytes;
  };
  const readStored = async (index: number): Promise<Buffer> => {
    const buffer = buffers[index];
    if (!buffer) throw new RangeError('a buffer is missing in a record batch');
    const offset = readLong(buffer, 0);
    const length = readLong(buffer, 8);
    if (offset < 0 || length < 0 || offset + length > block.bodyLength)
      throw new RangeError('a buffer is outside of its record batch');
    if (length > MAX_BUFFER_BYTES) throw new TooLargeError(`a buffer of ${length} bytes is too large`);
    steps.take(length / BYTES_PER_STEP);
    if (length === 0) return Buffer.alloc(0);
    const bytes = await file.read(block.offset + block.messageLength + offset, length);
    return compression ? decompressBuffer(bytes, compression.integer(0, 8), { steps, maxBytes }) : bytes;
  };

  return {
    rows,
    nullCounts: nodes.map((node, i) => (types[i]?.layout === 'none' ? rows : readLong(node, 8))),
    columnBytes: () => columnBytes,
    async readColumn(index) {
      columnBytes = 0;
      const type = types[index];
      const node = nodes[index];
      if (!type?.decode || !node) throw new RangeError(`values of type ${type?.name} are not supported`);
      const first = countBuffers(types.slice(0, index), viewCounts);
      const views = types.slice(0, index).filter(({ layout }) => layout === 'views').length;
      const cellAt = await readValues(type, (i) => readBuffer(first + 1 + i), viewCounts[views] ?? 0);
      if (type.layout === 'none' || readLong(node, 8) === 0) return cellAt;
      const validity = await readBuffer(first);
      return (row) => (isBitSet(validity, row) ? cellAt(row) : null);
    },
  };
}

/** Number of buffers of some columns. */
function countBuffers(types: readonly ArrowFieldType[], viewCounts: readonly number[]): number {
  let views = 0;
  return types.reduce((sum, { name, layout }) => {
    if (layout === undefined) throw new RangeError(`columns of type ${name} are not supported`);
    const data = layout === 'views' ? (viewCounts[views++] ?? 0) : 0;
    return sum + { none: 0, fixed: 2, variable: 3, views: 2 }[layout] + data;
  }, 0);
}

/** @param readBuffer reads a buffer after the validity. @param dataBuffers number of buffers with texts of views. */
async function readValues(
  { layout, decode, offsetBytes }: ArrowFieldType,
  readBuffer: (index: number) => Promise<Buffer>,
  dataBuffers: number,
): Promise<(row: number) => Cell> {
  if (!decode || layout === 'none') return () => null;
  const values = await readBuffer(0);
  if (layout === 'fixed') return (row) => decode(values, row);
  if (layout === 'variable') {
    const bytes = await readBuffer(1);
    const offset = (row: number): number =>
      offsetBytes === 4 ? values.readInt32LE(4 * row) : readLong(values, 8 * row);
    return (row) => decode(slice(bytes, offset(row), offset(row + 1)), row);
  }
  const texts: Buffer[] = [];
  for (let i = 0; i < dataBuffers; i++) texts.push(await readBuffer(1 + i));
  return (row) => decode(readView(values, row, texts), row);
}

const VIEW_BYTES = 16;
const MAX_INLINE_BYTES = 12;

/** Reads a value of at most 12 bytes in a view, or the longer one to which it refers. */
function readView(views: Buffer, row: number, texts: readonly Buffer[]): Buffer {
  const at = VIEW_BYTES * row;
  const length = views.readInt32LE(at);
  if (length <= MAX_INLINE_BYTES) return slice(views, at + 4, at + 4 + length);
  const text = texts[views.readInt32LE(at + 8)];
  if (!text) throw new RangeError('a buffer is missing in a record batch');
  const offset = views.readInt32LE(at + 12);
  return slice(text, offset, offset + length);
}

function slice(bytes: Buffer, start: number, end: number): Buffer {
  if (start < 0 || end < start || end > bytes.length) throw new RangeError('a text is outside of its buffer');
  return bytes.subarray(start, end);
}

/** @param codec number of CompressionType (Message.fbs). */
async function decompressBuffer(
  bytes: Buffer,
  codec: number,
  { steps, maxBytes }: ReadLimits,
): Promise<Buffer> {
  const size = readLong(bytes, 0);
  const frame = bytes.subarray(8);
  if (size === -1) return frame;
  if (size < 0) throw new RangeError(`a buffer of ${size} bytes`);
  if (size + frame.length > maxBytes) throw new TooLargeError(`a buffer of ${size} bytes is too large`);
  steps.take(size / BYTES_PER_STEP);
  const values = codec === 0 ? decompressLz4(frame, size) : await decompressZstd(frame, size);
  return Buffer.from(values.buffer, values.byteOffset, values.length);
}
