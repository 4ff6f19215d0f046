import { crc32 } from 'node:zlib';

/** Takes bytes one by one, and returns in the end whether they are what they have to be. */
export type ByteReader = Generator<void, boolean, number>;

const MAGIC = 0x8b1f;
const DEFLATE = 8;
const FHCRC = 0x02;
const FEXTRA = 0x04;
const FNAME = 0x08;
const FCOMMENT = 0x10;
const RESERVED = 0xe0;

/** The header of a gzip member (RFC 1952, section 2.3), as zlib takes it. */
export function* memberHeader(): ByteReader {
  let crc = 0;
  function* next(): Generator<void, number, number> {
    const byte = yield;
    crc = crc32(Uint8Array.of(byte), crc);
    return byte;
  }
  function* nextTwo(): Generator<void, number, number> {
    const low = yield* next();
    return low | ((yield* next()) << 8);
  }

  if ((yield* nextTwo()) !== MAGIC) return false;
  const [method, flags] = [yield* next(), yield* next()];
  if (method !== DEFLATE || flags & RESERVED) return false;
  // Time, compression and system.
  for (let skip = 6; skip > 0; skip--) yield* next();
  if (flags & FEXTRA) for (let skip = yield* nextTwo(); skip > 0; skip--) yield* next();
  for (const text of [FNAME, FCOMMENT]) if (flags & text) while ((yield* next()) !== 0);
  if (!(flags & FHCRC)) return true;
  const sum = crc & 0xffff;
  return (yield* nextTwo()) === sum;
}

/** The end of a member whose text has this checksum and this length in bytes. */
export function* memberTrailer(crc: number, length: number): ByteReader {
  for (const expected of [crc, length % 2 ** 32]) {
    let found = 0;
    for (let place = 1; place < 2 ** 32; place *= 256) found += (yield) * place;
    if (found !== expected) return false;
  }
  return true;
}
