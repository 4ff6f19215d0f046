import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { TokenPass } from '../../../src/integrity/inflate/token-pass.js';
import { decodeHere, runPass, runTokens, runZlib } from './inflate-outcome.js';

/** Rows that compress as those of day files do. */
function rowsOf(count: number, seed = 1): Buffer {
  let state = seed;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  const rows = Array.from(
    { length: count },
    (_, row) =>
      `bitmex,XBTUSD,16040${row},${next() % 2 ? 'buy' : 'sell'},${11_000 + (next() % 99) / 2},${next()}\n`,
  );
  return Buffer.from(rows.join(''));
}

test('inflates a stream with a chunk border at any of its bytes', async () => {
  const text = rowsOf(1500);
  // Small blocks, so that most chunks have starts of some.
  const file = gzipSync(text, { memLevel: 1 });
  for (let chunkBytes = 1024; chunkBytes < 1600; chunkBytes++) {
    const outcome = await runTokens(file, { chunkBytes, overlapBytes: 1024 });
    assert.deepEqual(outcome, { text, error: undefined }, `${chunkBytes} bytes`);
  }
});

test('inflates a stream that holds other streams, whose blocks are no starts', async () => {
  const inner = deflateRawSync(rowsOf(3000), { memLevel: 1 });
  const text = Buffer.concat([inner, inner, inner]);
  for (const file of [gzipSync(text, { level: 0 }), gzipSync(Buffer.concat([gzipSync(text), text]))]) {
    const outcome = await runTokens(file, { chunkBytes: 5000, overlapBytes: 2000 });
    assert.deepEqual(outcome, await runZlib(file));
    assert.equal(outcome.error, undefined);
  }
});

test('inflates streams of which no chunk has a start', async () => {
  const sizes = { chunkBytes: 4000, overlapBytes: 1024 };
  const text = rowsOf(20_000);
  for (const file of [
    gzipSync(text, { level: 0 }),
    // Fixed codes.
    gzipSync(text, { strategy: 4 }),
    // One block that is larger than all chunks in memory.
    gzipSync(text.subarray(0, 400_000), { memLevel: 9 }),
  ]) {
    assert.deepEqual(await runTokens(file, sizes, 999), await runZlib(file));
  }
});

test('inflates a file of several members, some of which end at the end of a chunk', async () => {
  const member = gzipSync(rowsOf(100));
  const file = Buffer.concat(Array.from({ length: 30 }, () => member));
  for (const chunkBytes of [member.length, 2 * member.length, member.length + 1, member.length - 1]) {
    const outcome = await runTokens(file, { chunkBytes, overlapBytes: 1024 });
    assert.deepEqual(outcome, await runZlib(file));
  }
});

test('inflates a large file in threads, and refuses it if it is damaged', async () => {
  const file = gzipSync(rowsOf(400_000), { level: 1 });
  const expected = await runZlib(file);
  assert.ok(file.length > 3_000_000);
  for (const threads of [1, 3]) {
    const outcome = await runPass((onText) => new TokenPass(onText, threads), file, 300_000);
    assert.equal(outcome.error, undefined);
    assert.ok(outcome.text.equals(expected.text));
  }
  const damaged = Buffer.from(file);
  const at = file.length - 400_000;
  damaged[at] = (damaged[at] as number) ^ 1;
  const outcome = await runPass((onText) => new TokenPass(onText, 2), damaged);
  const judged = await runZlib(damaged);
  assert.deepEqual([outcome.error, judged.error], ['refused', 'wrong gzip checksum']);
  // zlib drops what it has inflated since its last chunk.
  const common = Math.min(judged.text.length, outcome.text.length);
  assert.ok(judged.text.subarray(0, common).equals(outcome.text.subarray(0, common)));
  assert.ok(outcome.text.length > 1_000_000);
});

test('an error of a thread fails the pass', async () => {
  const { sizes, startDecoders } = decodeHere({ chunkBytes: 4000, overlapBytes: 1024 });
  const failure = new Error('the inflate thread failed');
  const options = {
    sizes,
    startDecoders: (...memory: Parameters<typeof startDecoders>) => ({
      ...startDecoders(...memory),
      decode: () => Promise.reject(failure),
    }),
  };
  const pass = new TokenPass(() => {}, 2, options);
  await pass.write(gzipSync(rowsOf(10)));
  await assert.rejects(pass.finish(), failure);
  await pass.destroy();
});
