import { crc32 } from 'node:zlib';
import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { randomBytes } from './random-bytes.js';

/** A member's header (RFC 1952, section 2.3) with any of its fields; wrong now and then. */
export function randomHeader(random: Random): Buffer {
  const flags = random.int(3) ? 0 : random.int(random.int(20) ? 32 : 256);
  const fields = [
    Buffer.from([0x1f, 0x8b, random.int(200) ? 8 : random.int(16), flags]),
    randomBytes(random, 6),
  ];
  if (flags & 4) {
    const extra = randomBytes(random, random.int(pick(random, [3, 30, 3000])));
    fields.push(Buffer.from([extra.length & 0xff, extra.length >> 8]), extra);
  }
  for (const flag of [8, 16]) {
    if (flags & flag) fields.push(Buffer.alloc(random.int(30), 'name'), Buffer.alloc(1));
  }
  const header = Buffer.concat(fields);
  if (!(flags & 2)) return header;
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE((crc32(header) ^ (random.int(20) ? 0 : 1 << random.int(16))) & 0xffff);
  return Buffer.concat([header, sum]);
}

/** A member's end; wrong now and then. */
export function trailerOf(random: Random, text: Buffer): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text));
  trailer.writeUInt32LE(text.length, 4);
  if (random.int(30) === 0) trailer.writeUInt8(random.int(256), random.int(8));
  return trailer;
}
