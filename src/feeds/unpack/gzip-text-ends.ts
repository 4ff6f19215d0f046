/** Size of the shortest member: header, empty block, checksum and length (RFC 1952, section 2.3). */
const MIN_MEMBER_BYTES = 20;
/** Bytes of a header before the time, which may differ between members. */
const HEADER_BYTES = 4;

/**
 * Finds the positions in the text of a whole gzip file at which its members end, in bytes, without
 * decompressing it: each member ends with the length of its text, and the next one begins like the first.
 * @param textSize bytes of the text.
 * @returns an empty array if the lengths do not add up to `textSize`, since compressed bytes can look like a
 * header.
 */
export function findGzipTextEnds(bytes: Buffer, textSize: number): readonly number[] {
  const header = bytes.subarray(0, HEADER_BYTES);
  const ends: number[] = [];
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf(header, at + MIN_MEMBER_BYTES);
    at = next < 0 ? bytes.length : next;
    end += bytes.readUInt32LE(at - 4);
    ends.push(end);
  }
  return end === textSize ? ends : [];
}
