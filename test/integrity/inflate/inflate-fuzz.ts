import { inflateRawSync } from 'node:zlib';
import { type Chance, createChance } from './chance.js';
import { damaged } from './damage.js';
import { deflated } from './deflated.js';
import { handMade } from './hand-made.js';
import { judge, judgeChunks } from './judge.js';
import { randomHeader, trailerOf } from './members.js';

/**
 * One made-up gzip file, whole or broken, by the kernel and by zlib: both take it, with the same text, or neither.
 * @param seed the same file again for the same one.
 * @returns whether it was taken.
 */
export async function fuzzInflate(seed: number): Promise<boolean> {
  const chance = createChance(seed);
  const bytes = randomFile(chance);
  const isSmall = bytes.length < 500;
  const cuts = chance.pick([
    [isSmall ? 1 : 1000],
    [bytes.length + 1],
    Array.from({ length: 1 + chance.below(9) }, () => 1 + chance.below(isSmall ? 20 : 20_000)),
    Array.from({ length: 1 + chance.below(9) }, () => 1 + chance.below(200_000)),
  ]);
  const chunkSize = chance.pick([64, 100, 1000, 5000, 65_536, 262_144, 1_048_576, 64 + chance.below(2_000)]);
  try {
    const isTaken = await judge(bytes, cuts, chunkSize);
    // The stream takes a hundred times as long.
    if (chance.below(20) === 0) await judgeChunks(bytes, cuts, Math.max(chunkSize, 1000));
    return isTaken;
  } catch (error) {
    throw new Error(`seed ${seed}: ${bytes.length} bytes, cut at ${cuts}, chunks of ${chunkSize}`, {
      cause: error,
    });
  }
}

function randomFile(chance: Chance): Buffer {
  const members = Array.from({ length: chance.pick([1, 1, 1, 1, 2, 3]) }, () => randomMember(chance));
  const rest = chance.below(20) ? Buffer.alloc(0) : randomRest(chance);
  const file = Buffer.concat([...members, rest]);
  return chance.below(8) ? file : damaged(chance, file, () => randomMember(chance));
}

function randomRest(chance: Chance): Buffer {
  return chance.pick([
    Buffer.alloc(1 + chance.below(9)),
    chance.bytes(1 + chance.below(30)),
    randomHeader(chance),
  ]);
}

/** Of a stream that may be broken; where zlib takes it nevertheless, its end tells of what zlib made of it. */
function randomMember(chance: Chance): Buffer {
  const stream = randomStream(chance);
  try {
    const { buffer: text, engine } = inflateRawSync(stream, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    const used = stream.subarray(0, engine.bytesWritten);
    return Buffer.concat([randomHeader(chance), used, trailerOf(chance, text)]);
  } catch {
    return Buffer.concat([randomHeader(chance), stream, chance.bytes(chance.below(40))]);
  }
}

function randomStream(chance: Chance): Buffer {
  const length = chance.pick([
    0,
    1,
    40,
    300,
    300,
    3000,
    3000,
    40_000,
    40_000,
    chance.below(10) ? 9000 : 1_500_000,
  ]);
  const make = (): Buffer => (chance.below(3) ? deflated(chance, length) : handMade(chance));
  const stream = make();
  return chance.below(2) ? stream : damaged(chance, stream, make);
}
