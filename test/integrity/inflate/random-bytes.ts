import type { Random } from '../../../src/sandbox/market/random.js';

export function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = random.int(256);
  return bytes;
}
