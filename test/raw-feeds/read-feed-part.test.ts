import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawBatch } from '../../src/raw-feeds/raw-batch.js';
import { readFeedPart } from '../../src/raw-feeds/read-feed-part.js';
import { cacheSlices } from './cached-slices.js';

test('frees the text of a slice when no batch refers to it any longer, and no earlier', async (t) => {
  const { texts, open } = await cacheSlices(t);
  const { run, part } = await open({ maxOpenAhead: 4, bufferBytes: 20_000 });
  const batches = [new RawBatch(), new RawBatch()] as const;
  const lines: string[] = [];
  const memories = new Set<ArrayBufferLike>();
  let swaps = 0;
  const use = ({ text, count, starts, ends }: RawBatch): void => {
    memories.add(text.buffer);
    for (let line = 0; line < count; line++) lines.push(text.toString('utf8', starts[line], ends[line]));
  };
  // A batch is used as late as possible: when the next one is full, just before it is returned.
  await readFeedPart(
    run,
    part,
    async () => {
      const returned = batches[swaps % 2] as RawBatch;
      if (swaps >= 2) use(returned);
      swaps++;
      return returned;
    },
    () => {},
    run.signal,
  );
  use(batches[swaps % 2] as RawBatch);
  assert.ok(`${lines.join('\n')}\n` === texts.join(''));
  const kept = [...memories].filter(({ byteLength }) => byteLength > 0);
  assert.equal(memories.size, texts.length);
  assert.equal(kept.length, 1, 'only the last slice is in memory');
});
