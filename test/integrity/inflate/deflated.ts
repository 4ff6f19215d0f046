import { constants, deflateRawSync } from 'node:zlib';
import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { randomText } from './texts.js';

const { Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH } = constants;

/** What zlib makes of a text, with any of its settings, flushed here and there. */
export function deflated(random: Random, length: number): Buffer {
  const parts = Array.from({ length: 1 + random.int(3) * random.int(2) }, () =>
    randomText(random, random.int(length + 1)),
  );
  const isJoined = random.int(2) === 0;
  const windowBits = 9 + random.int(7);
  let before = Buffer.alloc(0);
  return Buffer.concat(
    parts.map((text, at) => {
      const options = {
        level: random.int(10),
        strategy: random.int(5),
        memLevel: 1 + random.int(9),
        windowBits,
        finishFlush: at === parts.length - 1 ? Z_FINISH : pick(random, [Z_SYNC_FLUSH, Z_FULL_FLUSH]),
      };
      // What was flushed is known to the next part, or forgotten, as after a full flush.
      const dictionary = before.subarray(-32_768);
      before = Buffer.concat([before, text]);
      return deflateRawSync(text, isJoined && dictionary.length > 0 ? { ...options, dictionary } : options);
    }),
  );
}
