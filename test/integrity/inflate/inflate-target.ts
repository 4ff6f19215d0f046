import { inflateRawSync } from 'node:zlib';
import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';
import { damaged } from './damage.js';
import { deflated } from './deflated.js';
import { handMade } from './hand-made.js';
import { judge, judgeChunks } from './judge.js';
import { randomHeader, trailerOf } from './members.js';
import { randomBytes } from './random-bytes.js';

/** One made-up gzip file, whole or broken, by the kernel and by zlib: both take it, with the same text, or neither. */
export const inflateTarget: FuzzTarget = {
  name: 'inflate',
  async round(random, keep) {
    const bytes = randomFile(random);
    keep(bytes);
    const isSmall = bytes.length < 500;
    const cuts = pick(random, [
      [isSmall ? 1 : 1000],
      [bytes.length + 1],
      Array.from({ length: 1 + random.int(9) }, () => 1 + random.int(isSmall ? 20 : 20_000)),
      Array.from({ length: 1 + random.int(9) }, () => 1 + random.int(200_000)),
    ]);
    const chunkSize = pick(random, [64, 1000, 65_536, 262_144, 1_048_576, 64 + random.int(5_000)]);
    await judge(bytes, cuts, chunkSize);
    // The stream takes a hundred times as long.
    if (random.chance(0.1)) await judgeChunks(bytes, cuts, Math.max(chunkSize, 1000));
  },
};

function randomFile(random: Random): Buffer {
  const members = Array.from({ length: pick(random, [1, 1, 1, 1, 2, 3]) }, () => randomMember(random));
  const rest = random.int(20) ? Buffer.alloc(0) : randomRest(random);
  const file = Buffer.concat([...members, rest]);
  return random.int(8) ? file : damaged(random, file, () => randomMember(random));
}

function randomRest(random: Random): Buffer {
  return pick(random, [
    Buffer.alloc(1 + random.int(9)),
    randomBytes(random, 1 + random.int(30)),
    randomHeader(random),
  ]);
}

/** Of a stream that may be broken; where zlib takes it nevertheless, its end tells of what zlib made of it. */
function randomMember(random: Random): Buffer {
  const stream = randomStream(random);
  try {
    const { buffer: text, engine } = inflateRawSync(stream, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    const used = stream.subarray(0, engine.bytesWritten);
    return Buffer.concat([randomHeader(random), used, trailerOf(random, text)]);
  } catch {
    return Buffer.concat([randomHeader(random), stream, randomBytes(random, random.int(40))]);
  }
}

function randomStream(random: Random): Buffer {
  const length = pick(random, [
    0,
    1,
    40,
    300,
    300,
    3000,
    3000,
    40_000,
    40_000,
    random.int(10) ? 9000 : 1_500_000,
  ]);
  const make = (): Buffer => (random.int(3) ? deflated(random, length) : handMade(random));
  const stream = make();
  return random.int(2) ? stream : damaged(random, stream, make);
}
