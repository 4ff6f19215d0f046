/**
 * Decompresses a raw Snappy stream of any writer (https://github.com/google/snappy/blob/main/format_description.txt).
 * @param size exact size of the result, which the caller has limited.
 * @throws RangeError if the stream is damaged.
 */
export function decompressSnappy(bytes: Buffer, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  let length = 0;
  // The size that the stream states: a varint.
  while (bytes.readUInt8(at++) >= 0x80);
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at++);
    const kind = tag & 3;
    if (kind === 0) {
      const code = tag >>> 2;
      const extra = Math.max(0, code - 59);
      const literals = (extra === 0 ? code : bytes.readUIntLE(at, extra)) + 1;
      at += extra;
      if (literals > bytes.length - at || literals > size - length)
        throw new RangeError('literals of a Snappy stream are cut off');
      out.set(bytes.subarray(at, at + literals), length);
      at += literals;
      length += literals;
      continue;
    }
    const copied = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
    const distance =
      kind === 1
        ? ((tag >>> 5) << 8) | bytes.readUInt8(at)
        : kind === 2
          ? bytes.readUInt16LE(at)
          : bytes.readUInt32LE(at);
    at += kind === 3 ? 4 : kind;
    if (distance === 0 || distance > length || copied > size - length)
      throw new RangeError('a copy of a Snappy stream is outside of it');
    for (const end = length + copied; length < end; length++) out[length] = out[length - distance] as number;
  }
  return out.subarray(0, length);
}
