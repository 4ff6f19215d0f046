import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DisconnectCounter } from '../../src/replay/replay-raw.js';

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
