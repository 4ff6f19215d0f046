import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openFeed } from '../../src/raw-feeds/open-feed.js';
import { RawBatch } from '../../src/raw-feeds/raw-batch.js';
import { readFeedPart, WholeLineSplitter } from '../../src/raw-feeds/read-feed-part.js';
import { replayRaw } from '../../src/replay/replay-raw.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { cacheSlices } from './cached-slices.js';
import { type RunContext, replayInProcess, runReplayInProcess, START } from './replaying.js';

const MINUTES = 6;

/** Replays all channels into memory. @param waited the output accepts nothing before it is resolved. */
async function replayAll(context: RunContext, records: string, waited?: Promise<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    await waited;
    chunks.push(Buffer.from(bytes));
  };
  const range = { start: START, end: START + MINUTES };
  const feed = await openFeed(context.run, { exchange: 'bitmex', filters: [], range }, records);
  await replayRaw({ ...context, feed, output: { write }, withDisconnects: true });
  return Buffer.concat(chunks).toString();
}

test('the text of a fetched slice stays in memory for a slow replay after a fast one has read it', async (t) => {
  const service = await sandbox(t);
  const alone = await replayInProcess(service, await tempDir(t), {
    ...{ filters: [], to: MINUTES, withDisconnects: true },
  });
  // Lines wait in small buffers, so the slow replay has read little when the fast one ends.
  const { error } = await runReplayInProcess(
    service,
    await tempDir(t),
    { writeBytes: 1000, bufferBytes: 1000 },
    async (context, records) => {
      const fast = replayAll(context, records);
      const slow = replayAll(context, records, fast);
      assert.ok((await fast) === alone.text);
      assert.ok((await slow) === alone.text);
    },
  );
  assert.equal(error, undefined);
  assert.ok(alone.messages > 0);
});

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

/** Lines of a few bytes, some empty, and some longer than a piece. */
const line = fc.oneof(
  { weight: 30, arbitrary: fc.nat(40) },
  { weight: 1, arbitrary: fc.integer({ min: 250_000, max: 300_000 }) },
);

test('yields all whole lines in order, for any chunks', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 9 }),
      (lengths, least, chunks) => {
        const text = Buffer.from(lengths.map((length, at) => `${String(at % 10).repeat(length)}\n`).join(''));
        const size = Math.max(least, Math.ceil(text.length / chunks));
        const whole = new WholeLineSplitter(256 * 1024);
        const pieces: Buffer[] = [];
        for (let at = 0; at < text.length; at += size) {
          for (const piece of whole.split(text.subarray(at, at + size))) {
            assert.equal(piece.at(-1), 0x0a);
            pieces.push(piece);
          }
        }
        assert.ok(Buffer.concat(pieces).equals(text));
        assert.ok(pieces.every((piece) => piece.length <= 256 * 1024 || piece.indexOf(0x0a) >= 250_000));
      },
    ),
    { numRuns: 60 },
  );
});
