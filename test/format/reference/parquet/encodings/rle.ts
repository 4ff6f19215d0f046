import type { ByteWriter } from '../../../../../src/format/byte-writer.js';
import { packBits } from './bit-pack.js';

/**
 * The RLE / bit-packing hybrid (Encodings.md of the Parquet format, RLE = 3): long runs of one value are
 * runs, and everything between them is bit-packed in groups of eight. `width` is 1 to 31 bits.
 */
export function writeRle(
  out: ByteWriter,
  values: Int32Array,
  start: number,
  end: number,
  width: number,
): void {
  const leastRun = shortestRun(width);
  let packedFrom = start;
  let i = start;
  while (i + leastRun <= end) {
    // Search backwards from the end of the shortest run: most values are then never read.
    const value = values[i + leastRun - 1] as number;
    let runStart = i + leastRun - 1;
    while (runStart > i && values[runStart - 1] === value) runStart--;
    if (runStart > i) {
      i = runStart;
      continue;
    }
    i += leastRun;
    while (i < end && values[i] === value) i++;
    // Only the last packed part may be padded, so the run gives some of its values to the part before it.
    runStart += (8 - ((runStart - packedFrom) % 8)) % 8;
    writePacked(out, values, packedFrom, runStart, width);
    writeRun(out, value, i - runStart, width);
    packedFrom = i;
  }
  writePacked(out, values, packedFrom, end, width);
}

/** Writes a run of `count` equal values. */
export function writeRun(out: ByteWriter, value: number, count: number, width: number): void {
  out.varint(count * 2);
  for (let shift = 0; shift < width; shift += 8) out.byte((value >>> shift) & 0xff);
}

/**
 * Minimum length of a run. A run costs its header, its value, and a header for the packed part after it.
 * Shorter runs are bit-packed, since packed bits without interruptions compress better.
 */
function shortestRun(width: number): number {
  return 8 + Math.ceil((8 * (3 + Math.ceil(width / 8))) / width);
}

function writePacked(out: ByteWriter, values: Int32Array, start: number, end: number, width: number): void {
  if (start === end) return;
  out.varint(Math.ceil((end - start) / 8) * 2 + 1);
  packBits(out, values, start, end, width);
}
