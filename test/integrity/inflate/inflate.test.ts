import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TextSink } from '../../../src/integrity/gunzip.js';
import { startInflate } from '../../../src/integrity/inflate/inflate.js';
import { InflateRefusal } from '../../../src/integrity/inflate/member-inflater.js';
import { seededRandom } from '../../../src/sandbox/market/random.js';
import { BitWriter } from './bit-writer.js';
import { inflateTarget } from './inflate-target.js';
import { judge, judgeChunks } from './judge.js';
import { trailerOf } from './members.js';

/** A pass that must be there. */
function start(onText: TextSink, chunkSize?: number) {
  const pass = startInflate(onText, chunkSize);
  assert.ok(pass);
  return pass;
}

test('made-up files, whole and broken, cut anywhere, are judged as zlib judges them, with the same text', async () => {
  for (let round = 0; round < 500; round++) {
    await inflateTarget.round(seededRandom('inflate', round), () => {});
  }
});

test('a file is the same however it is cut in two, and refused wherever it is cut off', async () => {
  const lines = Array.from({ length: 15 }, (_, n) => `${n * 7919},buy,${n % 7}.5\n`).join('');
  const bytes = Buffer.concat([
    gzipSync(lines),
    gzipSync('x', { level: 0 }),
    gzipSync(lines, { strategy: 4 }),
  ]);
  for (let at = 0; at <= bytes.length; at++) {
    await judge(bytes, [at || 1, bytes.length], 64);
    await judge(bytes.subarray(0, at), [bytes.length], 1000);
    await judgeChunks(bytes.subarray(0, at), [1], 64);
  }
});

/** A gzip file of one stream, which has this text where it is one. */
function gzipOf(stream: Buffer, text: string): Buffer {
  const header = Buffer.from('1f8b0800000000000003', 'hex');
  return Buffer.concat([header, stream, trailerOf(seededRandom(1), Buffer.from(text))]);
}

/** A block of the fixed codes: "a", then a match, then the end. */
function fixedMatch(length: number, distance: number): Buffer {
  const bits = new BitWriter();
  bits.number(0b011, 3);
  bits.code(0x30 + 97, 8);
  if (length >= 280) bits.code(0xc0 + length - 280, 8);
  else bits.code(length - 256, 7);
  bits.code(distance, 5);
  bits.code(0, 7);
  return bits.bytes();
}

for (const [name, length, distance, text] of [
  ['a match of the byte before', 257, 0, 'aaaa'],
  ['a match from before the text', 257, 1, undefined],
  ['length code 286', 286, 0, undefined],
  ['length code 287', 287, 0, undefined],
  ['distance code 30', 257, 30, undefined],
  ['distance code 31', 257, 31, undefined],
] as const) {
  test(`${name}: ${text === undefined ? 'refused' : 'taken'}, as zlib does`, async () => {
    const parts: string[] = [];
    const bytes = gzipOf(fixedMatch(length, distance), text ?? 'a');
    await judge(bytes, [1], 64);
    const pass = start((chunk) => void parts.push(chunk.toString()));
    try {
      if (text === undefined) await assert.rejects(pass.write(bytes), InflateRefusal);
      else {
        await pass.write(bytes);
        await pass.finish();
        assert.equal(parts.join(''), text);
      }
    } finally {
      pass.destroy();
    }
  });
}

test('a slow reader gets all of a long text, in order, in chunks of the size that was asked for', async () => {
  const text = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `${n},${n % 977}\n`).join(''));
  const parts: Buffer[] = [];
  let busy = 0;
  const pass = start(async (chunk) => {
    assert.equal(busy++, 0);
    const before = Buffer.from(chunk);
    await new Promise(setImmediate);
    assert.ok(before.equals(chunk));
    parts.push(before);
    busy--;
  }, 100_000);
  await pass.write(gzipSync(text));
  await pass.finish();
  pass.destroy();
  assert.ok(Buffer.concat(parts).equals(text));
  assert.ok(parts.every((part, at) => part.length === 100_000 || at === parts.length - 1));
});

test('passes at the same time keep their texts apart, and one after another use the same kernels', async () => {
  const texts = ['a', 'b', 'c'].map((letter) => Buffer.alloc(300_000, letter));
  for (let round = 0; round < 3; round++) {
    const got = await Promise.all(
      texts.map(async (text) => {
        const parts: Buffer[] = [];
        const pass = start(async (chunk) => {
          await new Promise(setImmediate);
          parts.push(Buffer.from(chunk));
        }, 1000);
        const bytes = gzipSync(text);
        await pass.write(bytes.subarray(0, 50));
        await pass.write(bytes.subarray(50));
        await pass.finish();
        pass.destroy();
        return Buffer.concat(parts);
      }),
    );
    for (const [at, text] of texts.entries()) assert.ok(got[at]?.equals(text));
  }
});

test('a failure of the text reader ends the pass with its reason', async () => {
  const pass = start(() => {
    throw new Error('full');
  });
  await assert.rejects(pass.write(gzipSync('a,b\n')), /full/);
  await assert.rejects(pass.write(gzipSync('a,b\n')), /full/);
  await assert.rejects(pass.finish(), /full/);
});

test('a destroyed pass ends what is under way, and takes any further call', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pass = start(() => held);
  const waiting = pass.write(gzipSync('a,b\n'));
  pass.destroy();
  pass.destroy();
  release();
  await assert.rejects(waiting, { code: 'interrupted' });
  await assert.rejects(pass.write(gzipSync('a,b\n')), { code: 'interrupted' });
  await assert.rejects(pass.finish(), { code: 'interrupted' });
});
