import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { RandomBytes } from '../file-access.js';
import { type ColumnSummary, isSchemaGroup, summarizeColumns } from './column-summary.js';
import { PARQUET_MAGIC } from './format-constants.js';
import { readThrift, type ThriftStruct, type ThriftValue } from './thrift-reader.js';

/** Content of a Parquet file's footer. */
export interface ParquetFooter {
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  /** Whether columns are nested; columns of day files never are. */
  readonly isNested: boolean;
  readonly rowGroups: readonly { readonly rows: number; readonly uncompressedBytes: number }[];
  readonly keyValues: Readonly<Record<string, string>>;
  readonly createdBy: string | undefined;
}

/** Size of the footer's length and the magic bytes. */
const TAIL_BYTES = 8;
/** Most footers are this close to a file's end, so one request to a store is enough. */
const FOOTER_READ_BYTES = 64 * 1024;

/**
 * Reads the footer of a Parquet file from any writer (https://github.com/apache/parquet-format#file-format).
 * @param name path of the file, for errors.
 * @throws TickhaulError `corrupt` if there is none, and errors of `file.read`.
 */
export async function readParquetFooter(file: RandomBytes, name: string): Promise<ParquetFooter> {
  return parseFooter(await readFooterBytes(file, name), name);
}

/** Reads the end of a Parquet file, from the start of its footer. @throws as `readParquetFooter` does. */
export async function readFooterBytes(file: RandomBytes, name: string): Promise<Buffer> {
  const { bytes } = file;
  if (bytes < PARQUET_MAGIC.length + TAIL_BYTES)
    throw createCorruptError(name, `it has only ${plural(bytes, 'byte')}`);
  const tailBytes = Math.min(FOOTER_READ_BYTES, bytes);
  const end = await file.read(bytes - tailBytes, tailBytes);
  if (!end.subarray(-PARQUET_MAGIC.length).equals(PARQUET_MAGIC))
    throw createCorruptError(name, 'it does not end with PAR1');
  const length = end.readUInt32LE(tailBytes - TAIL_BYTES);
  if (length > bytes - PARQUET_MAGIC.length - TAIL_BYTES)
    throw createCorruptError(name, `its footer of ${plural(length, 'byte')} is cut off`);
  const footerBytes = length + TAIL_BYTES;
  return footerBytes <= tailBytes ? end.subarray(-footerBytes) : file.read(bytes - footerBytes, footerBytes);
}

/** @param bytes result of `readFooterBytes`. @throws as `readParquetFooter` does. */
export function parseFooter(bytes: Buffer, name: string): ParquetFooter {
  try {
    return parseMetadata(bytes.subarray(0, -TAIL_BYTES));
  } catch (error) {
    throw error instanceof RangeError ? createCorruptError(name, error.message) : error;
  }
}

/** Parses FileMetaData of parquet.thrift. */
function parseMetadata(bytes: Uint8Array): ParquetFooter {
  const footer = readThrift(bytes);
  const [, ...schema] = structs(footer.get(2));
  const groups = structs(footer.get(4));
  return {
    rows: number(footer.get(3)),
    columns: summarizeColumns(schema, groups),
    isNested: schema.some(isSchemaGroup),
    rowGroups: groups.map((group) => ({
      rows: number(group.get(3)),
      uncompressedBytes: number(group.get(2)),
    })),
    keyValues: Object.fromEntries(
      structs(footer.get(5)).map((pair) => [text(pair.get(1)) ?? '', text(pair.get(2)) ?? '']),
    ),
    createdBy: text(footer.get(6)),
  };
}

function number(value: ThriftValue | undefined): number {
  if (typeof value !== 'number') throw new RangeError('a number is missing in its footer');
  return value;
}

function structs(value: ThriftValue | undefined): readonly ThriftStruct[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is ThriftStruct => item instanceof Map);
}

function text(value: ThriftValue | undefined): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : undefined;
}

function createCorruptError(name: string, problem: string): TickhaulError {
  return new TickhaulError(
    'corrupt',
    `${name}: not a complete Parquet file, ${problem}; convert its source again`,
  );
}
