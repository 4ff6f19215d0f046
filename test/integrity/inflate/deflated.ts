import { constants, deflateRawSync } from 'node:zlib';
import type { Chance } from './chance.js';
import { randomText } from './texts.js';

const { Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH } = constants;

/** What zlib makes of a text, with any of its settings, flushed here and there. */
export function deflated(chance: Chance, length: number): Buffer {
  const parts = Array.from({ length: 1 + chance.below(3) * chance.below(2) }, () =>
    randomText(chance, chance.below(length + 1)),
  );
  const isJoined = chance.below(2) === 0;
  const windowBits = 9 + chance.below(7);
  let before = Buffer.alloc(0);
  return Buffer.concat(
    parts.map((text, at) => {
      const options = {
        level: chance.below(10),
        strategy: chance.below(5),
        memLevel: 1 + chance.below(9),
        windowBits,
        finishFlush: at === parts.length - 1 ? Z_FINISH : chance.pick([Z_SYNC_FLUSH, Z_FULL_FLUSH]),
      };
      // What was flushed is known to the next part, or forgotten, as after a full flush.
      const dictionary = before.subarray(-32_768);
      before = Buffer.concat([before, text]);
      return deflateRawSync(text, isJoined && dictionary.length > 0 ? { ...options, dictionary } : options);
    }),
  );
}
