import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { describeDamage, isDamage } from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import {
  type ArrowFieldType,
  FlatTable,
  parseFieldType,
  parseIntegerType,
  readLong,
} from './arrow-field-type.js';
import { CONTINUATION, MessageHeader } from './arrow-message.js';
import { ARROW_MAGIC, FOOTER_KEYS } from './arrow-writer.js';
import { type ArrowBlock, readHeader } from './record-batch-reader.js';

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
