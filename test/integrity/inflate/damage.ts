import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { randomBytes } from './random-bytes.js';

/** The bytes with a fault: bits turned, bytes lost, added, written over, or the end cut off. */
export function damaged(random: Random, bytes: Buffer, other: () => Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  const length = random.int(pick(random, [2, 5, 100]));
  switch (random.int(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(random, length), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 3: {
      const rest = other();
      return Buffer.concat([bytes.subarray(0, at), rest.subarray(random.int(rest.length + 1))]);
    }
    case 4:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(random, length), bytes.subarray(at + length)]);
    default: {
      const copy = Buffer.from(bytes);
      for (let bits = 1 + random.int(3); bits > 0 && copy.length > 0; bits--) {
        // Half of them at the beginning, where a block's codes stand.
        const index = random.int(random.int(2) ? copy.length : Math.min(copy.length, 100));
        copy[index] = (copy[index] ?? 0) ^ (1 << random.int(8));
      }
      return copy;
    }
  }
}
