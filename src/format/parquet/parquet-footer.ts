import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { describeDamage, isDamage } from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import { ColumnSummarizer, type ColumnSummary, type Leaf, listLeaves } from './column-summary.js';
import { PARQUET_MAGIC } from './parquet-schema.js';
import { readThrift, type ThriftStruct, type ThriftValue } from './thrift.js';

/** Content of a Parquet file's footer. */
export interface ParquetFooter {
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  /** SchemaElements of the columns, in their order (parquet.thrift). */
  readonly leaves: readonly Leaf[];
  /** Rows of each row group. */
  readonly rowGroups: readonly number[];
  readonly keyValues: Readonly<Record<string, string>>;
  readonly createdBy: string | undefined;
}

/** Size of the footer's length and the magic bytes. */
const TAIL_BYTES = 8;
/** Most footers are this close to a file's end, so one request to a store is enough. */
const FOOTER_READ_BYTES = 64 * 1024;

/** Row groups are read one at a time; of anything else, a footer has little. */
const ROW_GROUPS_FIELD = 4;
const FOOTER_LIMITS = {
  values: 24_000_000,
  fieldValues: 250_000,
  fieldBytes: 16 * 1024 * 1024,
  streamedField: ROW_GROUPS_FIELD,
};
const MAX_ROW_GROUPS = 1_000_000;
const MAX_COLUMNS = 4096;

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

/**
 * @param bytes result of `readFooterBytes`.
 * @param onRowGroup called with each RowGroup (parquet.thrift) and the columns.
 * @throws as `readParquetFooter` does.
 */
export function parseFooter(bytes: Buffer, name: string, onRowGroup?: RowGroupListener): ParquetFooter {
  try {
    return parseMetadata(bytes.subarray(0, -TAIL_BYTES), onRowGroup);
  } catch (error) {
    throw isDamage(error) ? createCorruptError(name, describeDamage(error)) : error;
  }
}

export type RowGroupListener = (group: ThriftStruct, leaves: readonly Leaf[]) => void;

/** Parses FileMetaData of parquet.thrift. */
function parseMetadata(bytes: Uint8Array, onRowGroup: RowGroupListener | undefined): ParquetFooter {
  const schema: ThriftStruct[] = [];
  const rowGroups: number[] = [];
  let columns: ColumnSummarizer | undefined;
  const { struct: footer } = readThrift(bytes, FOOTER_LIMITS, (field, item) => {
    if (field === 2) {
      if (columns || schema.length > MAX_COLUMNS) throw new RangeError(`more than ${MAX_COLUMNS} columns`);
      schema.push(item);
    } else if (field === ROW_GROUPS_FIELD) {
      if (rowGroups.length === MAX_ROW_GROUPS) throw new RangeError(`more than ${MAX_ROW_GROUPS} row groups`);
      columns ??= new ColumnSummarizer(listLeaves(schema.slice(1)));
      columns.add(item);
      onRowGroup?.(item, columns.leaves);
      rowGroups.push(number(item.get(3)));
    } else return false;
    return true;
  });
  columns ??= new ColumnSummarizer(listLeaves(schema.slice(1)));
  return {
    rows: number(footer.get(3)),
    columns: columns.summarize(),
    leaves: columns.leaves,
    rowGroups,
    keyValues: Object.fromEntries(
      structs(footer.get(5)).map((pair) => [text(pair.get(1)) ?? '', text(pair.get(2)) ?? '']),
    ),
    createdBy: text(footer.get(6)),
  };
}

function number(value: ThriftValue | undefined): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new RangeError('a number is missing in its footer');
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
