import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { type ColumnSummary, columnSummaries, isGroup } from './column-summary.js';
import { MAGIC } from './format.js';
import { readThrift, type ThriftStruct, type ThriftValue } from './thrift-read.js';

/** A file of which some bytes are read, wherever it is. */
export interface RandomBytes {
  readonly bytes: number;
  /** Exactly so many bytes from a position on. */
  read(position: number, length: number): Promise<Buffer>;
}

/** What a Parquet file's footer says of it. */
export interface ParquetFooter {
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  /** Whether columns stand in others; day files' never do. */
  readonly isNested: boolean;
  readonly rowGroups: readonly { readonly rows: number; readonly uncompressedBytes: number }[];
  readonly keyValues: Readonly<Record<string, string>>;
  readonly createdBy: string | undefined;
}

/** The magic bytes, and before them the footer's length in four. */
const TAIL = 8;
/** Most footers are within so many bytes of a file's end: a store is asked once. */
const LIKELY = 64 * 1024;

/**
 * Reads the footer of a Parquet file, by anyone, and none of its data.
 * @param name of the file, for errors.
 * @throws TickhaulError `corrupt` when there is none, and what reading throws.
 */
export async function readParquetFooter(file: RandomBytes, name: string): Promise<ParquetFooter> {
  return parseFooter(await readFooterBytes(file, name), name);
}

/** The end of a Parquet file from its footer on. @throws as `readParquetFooter` does. */
export async function readFooterBytes(file: RandomBytes, name: string): Promise<Buffer> {
  const { bytes } = file;
  if (bytes < MAGIC.length + TAIL) throw corrupt(name, `it has ${plural(bytes, 'byte')}`);
  const likely = Math.min(LIKELY, bytes);
  const end = await file.read(bytes - likely, likely);
  if (!end.subarray(-MAGIC.length).equals(MAGIC)) throw corrupt(name, 'it does not end with PAR1');
  const length = end.readUInt32LE(likely - TAIL);
  if (length > bytes - MAGIC.length - TAIL)
    throw corrupt(name, `its footer of ${plural(length, 'byte')} is cut off`);
  const whole = length + TAIL;
  return whole <= likely ? end.subarray(-whole) : file.read(bytes - whole, whole);
}

/** @param bytes of `readFooterBytes`. @throws as `readParquetFooter` does. */
export function parseFooter(bytes: Buffer, name: string): ParquetFooter {
  try {
    return parseMetadata(bytes.subarray(0, -TAIL));
  } catch (error) {
    throw error instanceof RangeError ? corrupt(name, error.message) : error;
  }
}

/** FileMetaData of parquet.thrift. */
function parseMetadata(bytes: Uint8Array): ParquetFooter {
  const footer = readThrift(bytes);
  const [, ...schema] = structs(footer.get(2));
  const groups = structs(footer.get(4));
  return {
    rows: number(footer.get(3)),
    columns: columnSummaries(schema, groups),
    isNested: schema.some(isGroup),
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

function corrupt(name: string, found: string): TickhaulError {
  return new TickhaulError(
    'corrupt',
    `${name}: not a whole Parquet file, ${found}; convert its source again`,
  );
}
