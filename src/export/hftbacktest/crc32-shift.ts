import { crc32 } from 'node:zlib';

/** What following bytes do to the CRC-32 of a text, apart from their own: a linear map, as a matrix of bits by columns. */
export type Crc32Shift = readonly number[];

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
