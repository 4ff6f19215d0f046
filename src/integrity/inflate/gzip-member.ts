/** Bits of the flags of a member’s header (RFC 1952, section 2.3.1). */
const Flag = { headerChecksum: 2, extra: 4, name: 8, comment: 16 } as const;
const KNOWN_FLAGS = Flag.extra | Flag.name | Flag.comment;
const FIXED_HEADER_BYTES = 10;

/** Length of a member’s checksum and text length at its end. */
export const TRAILER_BYTES = 8;

/**
 * The length of a gzip member's header (RFC 1952, section 2.3).
 * @returns undefined if it is incomplete; 0 if it is none, or an unusual one, which zlib judges.
 */
export function readMemberHeader(bytes: Buffer): number | undefined {
  if (bytes.length < FIXED_HEADER_BYTES) return undefined;
  const flags = bytes.readUInt8(3);
  if (bytes.readUIntBE(0, 3) !== 0x1f8b08 || (flags & ~KNOWN_FLAGS) !== 0) return 0;
  let length = FIXED_HEADER_BYTES;
  if (flags & Flag.extra) {
    if (bytes.length < length + 2) return undefined;
    length += 2 + bytes.readUInt16LE(length);
  }
  for (const flag of [Flag.name, Flag.comment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, length);
    if (end < 0) return undefined;
    length = end + 1;
  }
  return length > bytes.length ? undefined : length;
}

/** Checksum and length of a member's text, at its end (RFC 1952, section 2.3.1). */
export interface MemberTrailer {
  /** CRC-32. */
  readonly crc: number;
  /** Modulo 2 ** 32. */
  readonly bytes: number;
}

/** Reads the trailer of a member at the start of `bytes`. */
export function readMemberTrailer(bytes: Buffer): MemberTrailer {
  return { crc: bytes.readUInt32LE(0), bytes: bytes.readUInt32LE(4) };
}
