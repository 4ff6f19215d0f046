import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import type { TextSink } from '../../../src/gzip/gunzip.js';
import { InflatePass } from '../../../src/gzip/inflate/inflate-pass.js';
import { CHUNK_SIZES, MAX_LITERAL_BYTES, MAX_TOKEN_BYTES } from '../../../src/gzip/inflate/token-memory.js';
import { TokenPass } from '../../../src/gzip/inflate/token-pass.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { type Code, DeflateWriter } from './deflate-writer.js';
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

/** A file of equal members. */
function repeat(member: Buffer, count: number): Buffer {
  return Buffer.concat(Array<Buffer>(count).fill(member));
}

test('inflates a stream with a chunk border at any of its bytes', async () => {
  const text = rowsOf(700);
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
  const file = repeat(member, 30);
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

test('passes no text of the members after one with a wrong checksum', async () => {
  const first = rowsOf(100_000);
  const file = Buffer.concat([first, first, first].map((text) => gzipSync(text, { level: 1 })));
  const memberBytes = file.length / 3;
  file.writeUInt32LE((file.readUInt32LE(memberBytes - 8) ^ 1) >>> 0, memberBytes - 8);
  for (const startPass of [
    (onText: TextSink) => new TokenPass(onText, 2),
    (onText: TextSink) => new InflatePass(onText, 1 << 20),
  ]) {
    const outcome = await runPass(startPass, file);
    assert.equal(outcome.error, 'refused');
    assert.ok(outcome.text.length > first.length / 2);
    assert.ok(outcome.text.equals(first.subarray(0, outcome.text.length)));
  }
});

test('inflates a chunk whose tokens and literals fill their memory', async () => {
  const writer = new DeflateWriter();
  const lengths = (literal: number, match: number): readonly number[] =>
    Array.from({ length: 258 }, (_, symbol) =>
      symbol === 97 ? literal : symbol === 257 ? match : symbol === 256 ? 2 : 0,
    );
  const matches = MAX_TOKEN_BYTES / 4 - 1;
  const first = writer.beginBlock(lengths(2, 1), [1]);
  writer.putCode(first[97] as Code);
  for (let i = 0; i < matches; i++) {
    // A match of 3 bytes at distance 1.
    writer.putCode(first[257] as Code);
    writer.put(0, 1);
  }
  writer.putCode(first[256] as Code);
  const second = writer.beginBlock(lengths(1, 2), [1]);
  const literals = MAX_LITERAL_BYTES - 2;
  for (let i = 0; i < literals; i++) writer.putCode(second[97] as Code);
  writer.putCode(second[256] as Code);
  const text = Buffer.alloc(1 + 3 * matches + literals, 'a');
  const outcome = await runTokens(writer.finish(text), CHUNK_SIZES);
  assert.equal(outcome.error, undefined);
  assert.ok(outcome.text.equals(text));
});

test('text that compresses a thousand times leaves turns to other work', async (t) => {
  const TEXT_BYTES = 100_000_000;
  const file = gzipSync(Buffer.alloc(TEXT_BYTES));
  for (const startPass of [
    (onText: TextSink) => new InflatePass(onText, 1 << 20),
    (onText: TextSink) => new TokenPass(onText, 2, decodeHere(CHUNK_SIZES)),
  ]) {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    cleanUp(t, () => clearInterval(timer));
    let bytes = 0;
    const pass = startPass((text) => {
      bytes += text.length;
    });
    await pass.write(file);
    await pass.finish();
    await pass.destroy();
    clearInterval(timer);
    assert.equal(bytes, TEXT_BYTES);
    assert.ok(turns > 3, `${turns} turns`);
  }
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

test('leaves a file of many small members to zlib before it has read much of it', async () => {
  const sizes = { chunkBytes: 20_000, overlapBytes: 2000 };
  for (const text of [Buffer.alloc(0), rowsOf(1), Buffer.alloc(1000)]) {
    const file = repeat(gzipSync(text), 3000);
    for (const before of [Buffer.alloc(0), gzipSync(rowsOf(3000))])
      for (const outcome of [
        await runTokens(Buffer.concat([before, file]), sizes),
        await runPass((onText) => new InflatePass(onText, 256 * 1024), Buffer.concat([before, file]), 5000),
      ]) {
        assert.equal(outcome.error, 'refused');
        const passed = outcome.text.length - (before.length > 0 ? rowsOf(3000).length : 0);
        assert.ok(passed <= 1024 * text.length, `${passed} bytes`);
      }
  }
  // Fewer of them, and larger ones, are its own.
  for (const [count, text] of [
    [500, Buffer.alloc(0)],
    [2500, Buffer.alloc(4100)],
  ] as const) {
    const file = repeat(gzipSync(text), count);
    const outcomes = [
      await runTokens(file, sizes),
      await runPass((onText) => new InflatePass(onText, 256 * 1024), file),
    ];
    for (const outcome of outcomes)
      assert.deepEqual([outcome.error, outcome.text.length], [undefined, count * text.length]);
  }
});
