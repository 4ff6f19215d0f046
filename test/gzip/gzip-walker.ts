import { inflateRawSync } from 'node:zlib';

const FHCRC = 0x02;
const FEXTRA = 0x04;
const FNAME = 0x08;
const FCOMMENT = 0x10;
const RESERVED = 0xe0;

/** The text of a complete gzip file (RFC 1952), parsed member by member; undefined if it is not one. */
export function walkGzip(bytes: Buffer): Buffer | undefined {
  const texts: Buffer[] = [];
  try {
    for (let at = 0; at < bytes.length || texts.length === 0; ) {
      const body = headerEnd(bytes, at);
      const { buffer: text, engine } = inflateRawSync(bytes.subarray(body), { info: true }) as unknown as {
        buffer: Buffer;
        engine: { bytesWritten: number };
      };
      const trailer = body + engine.bytesWritten;
      if (bytes.readUInt32LE(trailer) !== crc32(text)) return undefined;
      if (bytes.readUInt32LE(trailer + 4) !== text.length) return undefined;
      texts.push(text);
      at = trailer + 8;
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(texts);
}

/** @throws RangeError for a header that is truncated or invalid. */
function headerEnd(bytes: Buffer, start: number): number {
  const flags = bytes.readUInt8(start + 3);
  if (bytes.readUInt16BE(start) !== 0x1f8b || bytes.readUInt8(start + 2) !== 8 || flags & RESERVED) {
    throw new RangeError('no gzip header');
  }
  let at = start + 10;
  if (flags & FEXTRA) at += 2 + bytes.readUInt16LE(at);
  for (const text of [FNAME, FCOMMENT]) if (flags & text) at = zeroAfter(bytes, at) + 1;
  if (flags & FHCRC) {
    if (bytes.readUInt16LE(at) !== (crc32(bytes.subarray(start, at)) & 0xffff))
      throw new RangeError('header sum');
    at += 2;
  }
  if (at > bytes.length) throw new RangeError('cut off');
  return at;
}

function zeroAfter(bytes: Buffer, at: number): number {
  const zero = bytes.indexOf(0, at);
  if (zero === -1) throw new RangeError('cut off');
  return zero;
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
