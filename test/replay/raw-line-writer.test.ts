import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineIndexer, RawBatch } from '../../src/raw-feeds/raw-batch.js';
import { RawLineWriter } from '../../src/replay/raw-line-writer.js';
import { DisconnectCounter } from '../../src/replay/replay-raw.js';
import { seededRandom } from '../../src/sandbox/simulation/seeded-random.js';
import { rawLinesTarget } from './raw-lines-target.js';

const TIME = '2024-03-01T00:00:01.1234567Z';
const START = Date.parse('2024-03-01') / 60_000;

/** Small messages, and some of about the size of a write. */
const size = fc.oneof(
  { weight: 9, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.integer({ min: 500_000, max: 540_000 }) },
);

test('writes lines of any length, in runs with disconnects between them, unchanged', async () => {
  const run = fc.record({
    sizes: fc.array(size, { maxLength: 12 }),
    copies: fc.integer({ min: 1, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 4 }), async (runs) => {
      const written = { messages: 0, bytes: 0 };
      const chunks: Buffer[] = [];
      const lines = new RawLineWriter(
        { write: async (bytes) => void chunks.push(Buffer.from(bytes)) },
        written,
      );
      let expected = '';
      let count = 0;
      for (const { sizes, copies } of runs) {
        // One large message is enough: the rest tests many small ones.
        const messages = sizes.flatMap((length) =>
          Array.from({ length: length > 300 ? 1 : copies }, () => 'é'.repeat(length)),
        );
        const batch = new RawBatch();
        new LineIndexer(START).splitLines(
          Buffer.from(messages.map((message) => `${TIME} {"m":"${message}"}\n`).join('')),
          batch,
        );
        await lines.add(batch, 0, batch.count);
        await lines.addDisconnect();
        for (const message of messages)
          expected += `{"localTimestamp":"${TIME}","message":{"m":"${message}"}}\n`;
        expected += '\n';
        count += messages.length;
      }
      await lines.flush();
      assert.ok(Buffer.concat(chunks).toString() === expected);
      assert.deepEqual(written, { messages: count, bytes: Buffer.byteLength(expected) });
    }),
    { numRuns: 10 },
  );
});

test('splits slices, whole or corrupt, at any chunk borders into the lines of a simple split', async () => {
  for (let round = 0; round < 60; round++) {
    await rawLinesTarget.round(seededRandom('raw-lines', round), () => {});
  }
});

/** A line of one of three parts, or a disconnect of their common connection. */
const entry = fc.option(fc.integer({ min: 0, max: 2 }), { nil: 'break' as const, freq: 3 });

test('merged parts of one connection have each of its disconnects once and in its position', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), (feed) => {
      // The entries of each part: its lines, each with the number of disconnects before it.
      const seen = [0, 1, 2].flatMap((part) => {
        const own: { part: number; time: number; breaks: number }[] = [];
        let breaks = 0;
        for (const [time, one] of feed.entries()) {
          if (one === 'break') breaks++;
          else if (one === part) {
            if (breaks > 0) own.push({ part, time, breaks });
            own.push({ part, time, breaks: 0 });
            breaks = 0;
          }
        }
        if (breaks > 0) own.push({ part, time: Number.POSITIVE_INFINITY, breaks });
        return own;
      });
      seen.sort((a, b) => (a.time === b.time ? a.part - b.part : a.time - b.time));
      const breaks = new DisconnectCounter(3);
      const merged: (number | 'break')[] = [];
      for (const { part, breaks: count } of seen) {
        if (count > 0) {
          if (breaks.isNew(part, count)) merged.push('break');
        } else {
          breaks.onLine(part);
          merged.push(part);
        }
      }
      const runsAreOne = feed.filter((one, i) => one !== 'break' || feed[i - 1] !== 'break');
      assert.deepEqual(merged, runsAreOne);
    }),
  );
});
