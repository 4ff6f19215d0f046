import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { loadZstd } from '../../../src/format/compressor.js';
import {
  keepUpTo,
  type SliceEncoding,
  splitZstdFrames,
  unpackSlice,
} from '../../../src/raw-feeds/slices/unpack-slice.js';
import { isTickhaulError } from '../errors.js';

const zstd = await loadZstd();
const PACK: Readonly<Record<SliceEncoding, (text: string) => Buffer>> = {
  gzip: (text) => gzipSync(text),
  zstd: (text) => Buffer.from(zstd(Buffer.from(text), 'fast')),
};
const LINE = '2019-06-01T00:03:03.1238784Z {"table":"trade"}\n';
/** A skippable frame. */
const SKIPPED = Buffer.concat([Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from('abc')]);

async function textOf(bytes: Buffer, encoding: SliceEncoding, mostKept = 1e6): Promise<string> {
  const chunks: Buffer[] = [];
  const text = await unpackSlice(bytes, encoding, keepUpTo(mostKept));
  await text.read((chunk) => void chunks.push(Buffer.from(chunk)));
  assert.equal(Buffer.concat(chunks).length, text.size);
  return Buffer.concat(chunks).toString();
}

for (const encoding of ['gzip', 'zstd'] as const) {
  test(`${encoding}: decompresses all members or frames`, async () => {
    const texts = [LINE.repeat(3), '', '\n\n', LINE.repeat(40_000), LINE];
    assert.equal(await textOf(Buffer.concat(texts.map(PACK[encoding])), encoding), texts.join(''));
    // Text that is not kept is decompressed again.
    assert.equal(await textOf(Buffer.concat(texts.map(PACK[encoding])), encoding, 100), texts.join(''));
    assert.equal(await textOf(PACK[encoding](''), encoding), '');
  });

  test(`${encoding}: a slice truncated anywhere is corrupt`, async () => {
    const whole = PACK[encoding](LINE.repeat(20));
    for (let length = 0; length < whole.length; length++) {
      await assert.rejects(
        textOf(whole.subarray(0, length), encoding),
        isTickhaulError('corrupt'),
        `${length}`,
      );
    }
    const two = Buffer.concat([whole, whole.subarray(0, -1)]);
    await assert.rejects(textOf(two, encoding), isTickhaulError('corrupt'));
    await assert.rejects(
      textOf(Buffer.concat([whole, Buffer.from('tail')]), encoding),
      isTickhaulError('corrupt'),
    );
  });

  test(`${encoding}: text other than lines of the raw feeds API is corrupt`, async () => {
    for (const text of [`${LINE}${LINE.slice(0, -1)}`, '<!doctype html><title>Sign in</title>\n'.repeat(3)]) {
      await assert.rejects(textOf(PACK[encoding](text), encoding), isTickhaulError('corrupt'));
    }
    await assert.rejects(
      textOf(PACK[encoding === 'gzip' ? 'zstd' : 'gzip'](LINE), encoding),
      isTickhaulError('corrupt'),
    );
  });
}

for (const encoding of ['gzip', 'zstd'] as const) {
  test(`${encoding}: frees the memory of a text`, async () => {
    const text = await unpackSlice(PACK[encoding](LINE.repeat(40_000)), encoding, keepUpTo(4e6));
    const chunks: Buffer[] = [];
    await text.read((chunk) => void chunks.push(chunk));
    assert.ok(chunks.length > 0);
    text.free();
    for (const { length } of chunks) assert.equal(length, 0);
  });

  test(`${encoding}: finds the ends of members or frames in the text`, async () => {
    const texts = [LINE.repeat(3), '', '\n\n', LINE.repeat(40_000), LINE];
    const expected = texts.map((_, i) => texts.slice(0, i + 1).join('').length);
    const several = await unpackSlice(Buffer.concat(texts.map(PACK[encoding])), encoding, keepUpTo(100));
    assert.deepEqual(several.ends(), expected);
    const one = await unpackSlice(PACK[encoding](texts.join('')), encoding, keepUpTo(100));
    assert.deepEqual(one.ends(), expected.slice(-1));
  });
}

test('gzip: finds no ends if bytes look like the start of a member', async () => {
  // Stored, not deflated: the file contains the text's bytes.
  const text = `${LINE.slice(0, -1)}\x1f\x8b\x08\x00${LINE}`;
  const member = gzipSync(Buffer.from(text, 'latin1'), { level: 0 });
  const slice = await unpackSlice(Buffer.concat([member, member]), 'gzip', keepUpTo(100));
  assert.deepEqual(slice.ends(), []);
});

test('splits zstd frames, with any skippable frames between them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 2000, unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
      (texts) => {
        const frames = texts.map(PACK.zstd);
        assert.deepEqual(splitZstdFrames(Buffer.concat(frames.flatMap((frame) => [SKIPPED, frame]))), frames);
      },
    ),
  );
});

test('zstd: a frame with a window of 2 GB is refused before memory is allocated for it', () => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 1, 0, 0]);
  assert.throws(() => splitZstdFrames(frame), /damaged zstd stream: a zstd window of 2147483648 bytes/);
});

test('with a wrong bit gzip gives the right text or an error, zstd any text or `corrupt`', async () => {
  const text = LINE.repeat(30);
  const whole = { gzip: PACK.gzip(text), zstd: PACK.zstd(text) };
  const encoding = fc.constantFrom('gzip' as const, 'zstd' as const);
  await fc.assert(
    fc.asyncProperty(encoding, fc.nat(), fc.integer({ min: 0, max: 7 }), async (name, position, bit) => {
      const bytes = Buffer.from(whole[name]);
      const at = position % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      try {
        const found = await textOf(bytes, name);
        if (name === 'gzip') assert.equal(found, text);
      } catch (error) {
        assert.ok(isTickhaulError('corrupt')(error), String(error));
      }
    }),
    { numRuns: 300 },
  );
});
