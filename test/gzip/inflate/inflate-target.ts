import assert from 'node:assert/strict';
import { InflatePass } from '../../../src/gzip/inflate/inflate-pass.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';
import { type Outcome, runPass, runTokens, runZlib } from './inflate-outcome.js';
import { damage, randomGzip } from './random-gzip.js';

/** Text chunk of the kernel, so small that its window moves often. */
const TEXT_CHUNK_BYTES = 16 * 1024;

/** Compares both passes of the inflate kernel with zlib, for valid and damaged files. */
export const inflateTarget: FuzzTarget = {
  name: 'inflate',
  async round(random, keep) {
    const valid = randomGzip(random);
    for (const file of [valid, damage(random, valid), damage(random, valid)]) {
      keep(file);
      const expected = await runZlib(file);
      const pieceBytes = 1 + random.int(100_000);
      const overlapBytes = 1024 + random.int(random.chance(0.5) ? 100 : 20_000);
      const sizes = { overlapBytes, chunkBytes: overlapBytes + random.int(20_000) };
      const inline = await runPass((onText) => new InflatePass(onText, TEXT_CHUNK_BYTES), file, pieceBytes);
      const tokens = await runTokens(file, sizes, pieceBytes);
      for (const outcome of [inline, tokens]) compare(outcome, expected);
      if (file === valid) assert.deepEqual([inline.error, tokens.error], [undefined, undefined]);
    }
  },
};

/** The kernel accepts nothing that zlib refuses. Its text before a refusal must be right. */
function compare({ text, error }: Outcome, expected: Outcome): void {
  const common = Math.min(text.length, expected.text.length);
  assert.ok(text.subarray(0, common).equals(expected.text.subarray(0, common)), 'other text');
  if (error !== undefined) return;
  assert.equal(expected.error, undefined, 'accepts what zlib refuses');
  assert.equal(text.length, expected.text.length);
}
