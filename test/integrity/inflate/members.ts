import { crc32 } from 'node:zlib';
import type { Chance } from './chance.js';

/** A member's header (RFC 1952, section 2.3) with any of its fields; wrong now and then. */
export function randomHeader(chance: Chance): Buffer {
  const flags = chance.below(3) ? 0 : chance.below(chance.below(20) ? 32 : 256);
  const fields = [
    Buffer.from([0x1f, 0x8b, chance.below(200) ? 8 : chance.below(16), flags]),
    chance.bytes(6),
  ];
  if (flags & 4) {
    const extra = chance.bytes(chance.below(chance.pick([3, 30, 3000])));
    fields.push(Buffer.from([extra.length & 0xff, extra.length >> 8]), extra);
  }
  for (const flag of [8, 16]) {
    if (flags & flag) fields.push(Buffer.alloc(chance.below(30), 'name'), Buffer.alloc(1));
  }
  const header = Buffer.concat(fields);
  if (!(flags & 2)) return header;
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE((crc32(header) ^ (chance.below(20) ? 0 : 1 << chance.below(16))) & 0xffff);
  return Buffer.concat([header, sum]);
}

/** A member's end; wrong now and then. */
export function trailerOf(chance: Chance, text: Buffer): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text));
  trailer.writeUInt32LE(text.length, 4);
  if (chance.below(30) === 0) trailer.writeUInt8(chance.below(256), chance.below(8));
  return trailer;
}
