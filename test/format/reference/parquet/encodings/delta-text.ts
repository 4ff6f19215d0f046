import type { TextValues } from '../../../../../src/format/batch.js';
import type { ByteWriter } from '../../../../../src/format/byte-writer.js';
import { writeDeltaIntegers } from './delta.js';

/** Writes all lengths, then all bytes (Encodings.md of the Parquet format, DELTA_LENGTH_BYTE_ARRAY = 6). */
export function writeDeltaLengthText(out: ByteWriter, text: TextValues, start: number, end: number): void {
  const lengths = new Int32Array(end - start);
  for (let i = start; i < end; i++) {
    lengths[i - start] = (text.offsets[i + 1] as number) - (text.offsets[i] as number);
  }
  writeDeltaIntegers(out, lengths, 0, lengths.length);
  out.append(text.bytes.subarray(text.offsets[start], text.offsets[end]));
}

/** Writes the shared prefix of each text and the previous one, then the rest (DELTA_BYTE_ARRAY = 7). */
export function writeDeltaText(
  out: ByteWriter,
  text: TextValues,
  prefixes: Int32Array,
  start: number,
  end: number,
): void {
  const own = prefixes.slice(start, end);
  if (own.length > 0) own[0] = 0;
  writeDeltaIntegers(out, own, 0, own.length);
  const bytes = new Uint8Array((text.offsets[end] as number) - (text.offsets[start] as number));
  const offsets = new Int32Array(own.length + 1);
  let at = 0;
  for (let i = 0; i < own.length; i++) {
    const to = text.offsets[start + i + 1] as number;
    for (let from = (text.offsets[start + i] as number) + (own[i] as number); from < to; from++) {
      bytes[at++] = text.bytes[from] as number;
    }
    offsets[i + 1] = at;
  }
  writeDeltaLengthText(out, { bytes, offsets }, 0, own.length);
}

/** The length of the prefix that each text shares with the previous one. */
export function sharedPrefixes({ bytes, offsets }: TextValues): Int32Array {
  const prefixes = new Int32Array(offsets.length - 1);
  for (let i = 1; i < prefixes.length; i++) {
    const before = offsets[i - 1] as number;
    const from = offsets[i] as number;
    const most = Math.min(from - before, (offsets[i + 1] as number) - from);
    let shared = 0;
    while (shared < most && bytes[before + shared] === bytes[from + shared]) shared++;
    prefixes[i] = shared;
  }
  return prefixes;
}
