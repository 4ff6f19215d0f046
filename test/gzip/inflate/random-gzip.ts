import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';

/** Text of one of several kinds: noise, digits, CSV rows, short and long repeats. */
export function randomText(random: Random, maxBytes: number): Buffer {
  const text = Buffer.alloc(random.int(random.chance(0.5) ? maxBytes : 300));
  const kind = random.int(6);
  const period = 1 + random.int(9);
  for (let i = 0; i < text.length; i++) {
    let byte = random.int(256);
    if (kind === 1) byte = 48 + random.int(10);
    else if (kind === 2 && i > 20 && random.int(20)) byte = text[i - 1 - random.int(20)] as number;
    else if (kind === 3 && i > 33_000 && random.int(60)) byte = text[i - 32_768 + random.int(3)] as number;
    else if (kind === 4 && i > period && random.int(50)) byte = text[i - period] as number;
    else if (kind === 5) byte = i % 23 === 22 ? 10 : i % 5 === 4 ? 44 : 48 + random.int(4);
    text[i] = byte;
  }
  return text;
}

/** A gzip member of a text, with any settings of zlib, and any parts in its header. */
export function randomMember(random: Random, text: Buffer): Buffer {
  const settings = {
    level: random.int(10),
    strategy: random.int(5),
    memLevel: 1 + random.int(9),
    windowBits: 9 + random.int(7),
  };
  if (random.int(3) === 0) return gzipSync(text, settings);
  const flags = random.int(8) << 2;
  const head = [Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 255])];
  if (flags & 4) {
    const extra = Buffer.alloc(random.int(40), 7);
    head.push(Buffer.from([extra.length, 0]), extra);
  }
  if (flags & 8) head.push(Buffer.from('name.csv\0'));
  if (flags & 16) head.push(Buffer.from('a comment\0'));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text));
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([...head, deflateRawSync(text, settings), trailer]);
}

/** A file of several members, some of whose texts are deflate streams themselves. */
export function randomGzip(random: Random, maxBytes = 200_000): Buffer {
  const members = Array.from({ length: 1 + random.int(random.chance(0.7) ? 1 : 4) }, () => {
    const text = randomText(random, maxBytes);
    return randomMember(random, random.chance(0.2) ? randomMember(random, text) : text);
  });
  return Buffer.concat(members);
}

/** A file that is cut off, has a changed bit or byte, lacks bytes, or has further ones. */
export function damage(random: Random, file: Buffer): Buffer {
  const at = random.int(file.length);
  const bytes = Buffer.from(file);
  switch (random.int(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      bytes[at] = random.int(256);
      return bytes;
    case 2:
      return Buffer.concat([bytes, Buffer.alloc(random.int(30), random.int(3) * 0x1f)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.int(9))]);
    default:
      bytes[at] = (bytes[at] as number) ^ (1 << random.int(8));
      return bytes;
  }
}
