import type { Chance } from './chance.js';

/** The bytes with a fault: bits turned, bytes lost, added, written over, or the end cut off. */
export function damaged(chance: Chance, bytes: Buffer, other: () => Buffer): Buffer {
  const at = chance.below(bytes.length + 1);
  const length = chance.below(chance.pick([2, 5, 100]));
  switch (chance.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), chance.bytes(length), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 3: {
      const rest = other();
      return Buffer.concat([bytes.subarray(0, at), rest.subarray(chance.below(rest.length + 1))]);
    }
    case 4:
      return Buffer.concat([bytes.subarray(0, at), chance.bytes(length), bytes.subarray(at + length)]);
    default: {
      const copy = Buffer.from(bytes);
      for (let bits = 1 + chance.below(3); bits > 0 && copy.length > 0; bits--) {
        // Half of them at the beginning, where a block's codes stand.
        const index = chance.below(chance.below(2) ? copy.length : Math.min(copy.length, 100));
        copy[index] = (copy[index] ?? 0) ^ (1 << chance.below(8));
      }
      return copy;
    }
  }
}
