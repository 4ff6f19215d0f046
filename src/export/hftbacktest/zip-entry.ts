import { crc32 } from 'node:zlib';

/** A zip file with one deflated entry (docs/spec/hftbacktest-format.md#container), without the deflated bytes. */
interface ZipEntry {
  /** Before the deflated bytes. */
  readonly head: Buffer;
  /** After them. */
  readonly tail: Buffer;
}

/** Values from here on are in the fields of zip64. */
const ZIP64_LIMIT = 0xffff_ffff;
/** 1980-01-01, so that equal contents are equal files. */
const DOS_DATE = 0x21;

/** @param size bytes before they were deflated. @param deflatedSize bytes of the deflated stream. */
export function createZipEntry(name: string, crc: number, size: number, deflatedSize: number): ZipEntry {
  const isLarge = size >= ZIP64_LIMIT || deflatedSize >= ZIP64_LIMIT;
  const extra = isLarge ? createRecord([2, 1], [2, 16], [8, size], [8, deflatedSize]) : Buffer.alloc(0);
  const nameBytes = Buffer.from(name);
  const shared = createRecord(
    // Version that is needed, flags, deflate, time, date.
    [2, isLarge ? 45 : 20],
    [2, 0],
    [2, 8],
    [2, 0],
    [2, DOS_DATE],
    [4, crc],
    [4, isLarge ? ZIP64_LIMIT : deflatedSize],
    [4, isLarge ? ZIP64_LIMIT : size],
    [2, nameBytes.length],
    [2, extra.length],
  );
  const head = Buffer.concat([createRecord([4, 0x0403_4b50]), shared, nameBytes, extra]);
  const directory = Buffer.concat([
    createRecord([4, 0x0201_4b50], [2, 45]),
    shared,
    // Comment, disk, attributes, and the position of the entry.
    createRecord([2, 0], [2, 0], [2, 0], [4, 0], [4, 0]),
    nameBytes,
    extra,
  ]);
  return { head, tail: Buffer.concat([directory, createEnd(head.length + deflatedSize, directory.length)]) };
}

/** The end of the file. @param position of the central directory. */
function createEnd(position: number, bytes: number): Buffer {
  const isLarge = position >= ZIP64_LIMIT;
  const large = isLarge
    ? createRecord(
        [4, 0x0606_4b50],
        [8, 44],
        [2, 45],
        [2, 45],
        [4, 0],
        [4, 0],
        [8, 1],
        [8, 1],
        [8, bytes],
        [8, position],
        // The locator of this record.
        [4, 0x0706_4b50],
        [4, 0],
        [8, position + bytes],
        [4, 1],
      )
    : Buffer.alloc(0);
  const end = createRecord(
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, 1],
    [2, 1],
    [4, bytes],
    [4, isLarge ? ZIP64_LIMIT : position],
    [2, 0],
  );
  return Buffer.concat([large, end]);
}

/** Little-endian integers, each with its number of bytes. */
function createRecord(...fields: readonly (readonly [number, number])[]): Buffer {
  const record = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return record;
}

/** What following bytes do to the CRC-32 of a text, apart from their own: a linear map, as a matrix of bits by columns. */
type Crc32Shift = readonly number[];

const ZERO = Buffer.alloc(1);

/** Creates the shift by a number of bytes: the matrix of one byte, squared again and again. */
export function createCrc32Shift(bytes: number): Crc32Shift {
  let matrix: Crc32Shift = Array.from({ length: 32 }, (_, bit) => addZeroByte((1 << bit) >>> 0));
  let shift: Crc32Shift = Array.from({ length: 32 }, (_, bit) => 1 << bit);
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = shift.map((column) => multiply(matrix, column));
    matrix = matrix.map((column) => multiply(matrix, column));
  }
  return shift;
}

/** CRC-32 of bytes that follow other ones. @param shift of the number of bytes that `second` is of. */
export function combineCrc32(first: number, second: number, shift: Crc32Shift): number {
  return (multiply(shift, first) ^ second) >>> 0;
}

/** Without the inversions before and after, which are equal for all texts of a length. */
function addZeroByte(crc: number): number {
  return crc32(ZERO, crc) ^ crc32(ZERO, 0);
}

function multiply(matrix: Crc32Shift, vector: number): number {
  let product = 0;
  for (let bit = 0; bit < 32; bit++) if ((vector >>> bit) & 1) product ^= matrix[bit] as number;
  return product;
}
