import type { TextValues } from '../../../../../src/format/batch.js';
import type { ByteWriter } from '../../../../../src/format/byte-writer.js';

/** Doubles of eight bytes each (Encodings.md of the Parquet format, PLAIN = 0), as they are in memory. */
export function doubleBytes(values: Float64Array, start: number, end: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset + start * 8, (end - start) * 8);
}

/** Integers as INT64. */
export function int64Bytes(values: Float64Array, start: number, end: number): Uint8Array {
  return doubleBytes(
    new Float64Array(BigInt64Array.from(values.subarray(start, end), BigInt).buffer),
    0,
    end - start,
  );
}

/** Writes each text after its length in four bytes. */
export function writePlainText(out: ByteWriter, text: TextValues, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const from = text.offsets[i] as number;
    const to = text.offsets[i + 1] as number;
    out.uint32(to - from);
    out.append(text.bytes.subarray(from, to));
  }
}
