import type { FileHandle } from 'node:fs/promises';
import { diskError, TickhaulError } from '../../base/errors.js';
import { openRegular } from '../../base/open-regular.js';
import { type ColumnSummary, columnSummaries, isGroup } from './column-summary.js';
import { MAGIC } from './format.js';
import { readThrift, type ThriftStruct, type ThriftValue } from './thrift-read.js';

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

/**
 * Reads the footer of a Parquet file, by anyone, and none of its data. Throws `corrupt` when there is none,
 * `disk` when the file can't be read.
 */
export async function readParquetFooter(path: string): Promise<ParquetFooter> {
  try {
    await using file = await openRegular(path);
    return parseFooter(await footerBytes(file, path));
  } catch (error) {
    if (error instanceof RangeError) throw corrupt(path, error.message);
    throw diskError(error, path);
  }
}

async function footerBytes(file: FileHandle, path: string): Promise<Uint8Array> {
  const { size } = await file.stat();
  if (size < MAGIC.length + TAIL) throw corrupt(path, `it has ${size} bytes`);
  const tail = await readAt(file, size - TAIL, TAIL);
  if (!tail.subarray(4).equals(MAGIC)) throw corrupt(path, 'it does not end with PAR1');
  const length = tail.readUInt32LE();
  if (length > size - MAGIC.length - TAIL) throw corrupt(path, `its footer of ${length} bytes is cut off`);
  return readAt(file, size - TAIL - length, length);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new RangeError('it grew shorter while it was read');
  return buffer;
}

/** FileMetaData of parquet.thrift. */
function parseFooter(bytes: Uint8Array): ParquetFooter {
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

function corrupt(path: string, found: string): TickhaulError {
  return new TickhaulError(
    'corrupt',
    `${path}: not a whole Parquet file, ${found}; convert its source again`,
  );
}
