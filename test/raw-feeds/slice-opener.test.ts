import assert from 'node:assert/strict';
import { readFile, truncate } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import type { FeedReadContext, FeedReadOptions } from '../../src/raw-feeds/feed-read-context.js';
import { SliceOpener } from '../../src/raw-feeds/read-feed-part.js';
import { cleanUp } from '../helpers/clean-up.js';
import { until } from '../helpers/until.js';
import { type CachedSlices, cacheSlices, MINUTES } from './cached-slices.js';
import { START } from './replaying.js';

async function openSlices(
  t: TestContext,
  cached: CachedSlices,
  options: Partial<FeedReadOptions>,
): Promise<{ readonly run: FeedReadContext; readonly slices: SliceOpener }> {
  const { run, part } = await cached.open(options);
  const slices = new SliceOpener(run, part, run.signal);
  cleanUp(t, () => slices.close());
  return { run, slices };
}

/** Number of slices whose memory is reserved, rounded. */
function countHeld({ texts }: FeedReadContext, sliceBytes: number): number {
  return Math.round((texts.bytes - texts.left) / sliceBytes);
}

for (const maxOpenAhead of [1, 2, 4]) {
  test(`opens slices in order, and ${maxOpenAhead} ahead of the one being read`, async (t) => {
    const cached = await cacheSlices(t);
    const { texts, sliceBytes } = cached;
    const { run, slices } = await openSlices(t, cached, { maxOpenAhead });
    assert.equal(countHeld(run, sliceBytes), 0);
    for (const [i, text] of texts.entries()) {
      const slice = await slices.next();
      assert.equal(slice?.selected.start, START + i);
      const left = MINUTES - 1 - i;
      await until('slices ahead', () => countHeld(run, sliceBytes) === 1 + Math.min(maxOpenAhead, left));
      const chunks: Buffer[] = [];
      await slice.text.read((chunk) => void chunks.push(chunk));
      assert.ok(Buffer.concat(chunks).toString() === text, `minute ${i}`);
      slice.done();
    }
    assert.equal(await slices.next(), undefined);
    assert.equal(run.texts.left, run.texts.bytes);
  });
}

test('a damaged slice ahead fails in its position', async (t) => {
  const cached = await cacheSlices(t);
  const { files } = cached;
  for (const at of [3, 4]) await truncate(files[at] ?? '', (await readFile(files[at] ?? '')).length - 9);
  const { run, slices } = await openSlices(t, cached, { maxOpenAhead: 4 });
  for (let i = 0; i < 3; i++) {
    const slice = await slices.next();
    assert.equal(slice?.selected.start, START + i);
    slice.done();
  }
  await assert.rejects(slices.next(), { code: 'corrupt', message: /\/03\.json\.gz: .*--offline/ });
  slices.close();
  assert.equal(run.texts.left, run.texts.bytes);
});

test('slices that are opened when the reader stops hold no memory', async (t) => {
  const cached = await cacheSlices(t);
  const { run, slices } = await openSlices(t, cached, { maxOpenAhead: 4 });
  await slices.next();
  slices.close();
  assert.equal(run.texts.left, run.texts.bytes);
  for (let i = 0; i < 4; i++) {
    assert.ok(await slices.next(), 'decompression ahead continues to its end');
    assert.equal(run.texts.left, run.texts.bytes);
  }
});

test('slices ahead take at most half of the memory that replays share, but one is always ahead', async (t) => {
  const cached = await cacheSlices(t);
  const { sliceBytes } = cached;
  for (const [budget, held] of [
    [3, 2],
    [6.5, 3],
    [8.5, 4],
    [20, 5],
  ] as const) {
    const { run, slices } = await openSlices(t, cached, {
      maxOpenAhead: 4,
      textBytes: Math.ceil(budget * sliceBytes),
    });
    for (let at = 1; at <= MINUTES; at++) {
      const slice = await slices.next();
      assert.ok(slice?.text.isKept);
      const ahead = Math.min(held - 1, MINUTES - at);
      await until('slices ahead', () => countHeld(run, sliceBytes) >= 1 + ahead);
      // The last ones are decompressed while another slice is opened.
      await openSlices(t, cached, { maxOpenAhead: 1 }).then((other) => other.slices.next());
      assert.equal(countHeld(run, sliceBytes), 1 + ahead, `slice ${at}, memory of ${budget}`);
      slice.done();
    }
    assert.equal(await slices.next(), undefined);
  }
});

test('no slice is opened ahead of one that does not fit into memory', async (t) => {
  const cached = await cacheSlices(t);
  const { texts, sliceBytes } = cached;
  const { run, slices } = await openSlices(t, cached, {
    maxOpenAhead: 4,
    textBytes: Math.floor(sliceBytes / 2),
  });
  for (const text of texts) {
    const slice = await slices.next();
    assert.equal(slice?.text.isKept, false);
    assert.equal(run.texts.left, run.texts.bytes);
    const chunks: Buffer[] = [];
    await slice.text.read((chunk) => void chunks.push(Buffer.from(chunk)));
    assert.ok(Buffer.concat(chunks).toString() === text);
    slice.done();
  }
});
