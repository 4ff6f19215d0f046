import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTimeLeft } from '../../../../src/cli/output/run/run-progress.js';
import type { RunEvent } from '../../../../src/events/run-events.js';

const FILE_BYTES = 10_000_000;
const FILES = 80;
const AT_ONCE = 8;

/** The estimate every 100 ms of a run of equal files, 8 at once, with a common rate. */
function simulate(
  bytesPerSecond: number,
): readonly { readonly at: number; readonly left: number | undefined }[] {
  let ms = 0;
  const timeLeft = createTimeLeft(() => ms);
  timeLeft.record({ event: 'plan', files: FILES, download: FILES, resume: 0 });
  const shown: { at: number; left: number | undefined }[] = [];
  const step = bytesPerSecond / AT_ONCE / 10;
  const positions = Array.from({ length: AT_ONCE }, () => 0);
  let done = 0;
  let begun = AT_ONCE;
  const paths = positions.map((_, i) => `${i}`);
  while (done < FILES) {
    ms += 100;
    for (const [i, path] of paths.entries()) {
      if (path === '') continue;
      positions[i] = Math.min(FILE_BYTES, (positions[i] ?? 0) + step);
      const position = positions[i];
      timeLeft.record({ event: 'progress', path, received: step, position, total: FILE_BYTES });
      if (position < FILE_BYTES) continue;
      timeLeft.record({ event: 'file', status: 'downloaded', file: undefined, path });
      done++;
      positions[i] = 0;
      paths[i] = begun < FILES ? `${begun++}` : '';
    }
    shown.push({ at: ms / 1000, left: timeLeft.seconds(done, FILES) });
  }
  return shown;
}

test('the remaining time never grows without a setback, and is close to the truth', () => {
  // The first rate is that of a --max-rate of 1 MB/s.
  for (const rate of [1e6, 40e6]) {
    const shown = simulate(rate);
    const whole = shown.at(-1)?.at ?? 0;
    let before = Number.POSITIVE_INFINITY;
    for (const { at, left } of shown) {
      if (left === undefined) {
        assert.ok(at < 2, 'it is known soon, before a file is done');
        continue;
      }
      assert.ok(left <= before, `${rate}: ${before} s, then ${left} s after ${at} s`);
      assert.ok(Math.abs(left - (whole - at)) <= 0.1 * whole, `${rate}: ${left} s after ${at} of ${whole} s`);
      before = left;
    }
    assert.equal(before, 0);
  }
});

const ERROR = { code: 'rate_limited', message: 'slow down' } as const;
const TROUBLE: readonly RunEvent[] = [
  { event: 'pause', waitMs: 5000, error: ERROR },
  { event: 'retry', path: 'a', attempt: 1, waitMs: 5000, error: ERROR },
  { event: 'file', status: 'failed', file: undefined, path: 'a', error: ERROR },
];
for (const event of TROUBLE) {
  test(`the remaining time may grow after a setback (${event.event})`, () => {
    let ms = 0;
    const timeLeft = createTimeLeft(() => ms);
    timeLeft.record({ event: 'plan', files: 10, download: 10, resume: 0 });
    ms = 5000;
    assert.equal(timeLeft.seconds(5, 10), 5);
    ms = 15_000;
    assert.equal(timeLeft.seconds(5, 10), 5);
    timeLeft.record(event);
    assert.equal(timeLeft.seconds(5, 10), 15);
  });
}

test('the remaining time grows for files that are far larger than earlier ones', () => {
  let ms = 0;
  const timeLeft = createTimeLeft(() => ms);
  timeLeft.record({ event: 'plan', files: 10, download: 10, resume: 0 });
  ms = 5000;
  assert.equal(timeLeft.seconds(5, 10), 5);
  ms = 25_000;
  assert.equal(timeLeft.seconds(5, 10), 5, 'a file may take a little longer');
  ms = 60_000;
  assert.equal(timeLeft.seconds(5, 10), 60);
});

test('bytes of an earlier run do not count towards the pace', () => {
  let ms = 0;
  const timeLeft = createTimeLeft(() => ms);
  timeLeft.record({ event: 'plan', files: 1, download: 0, resume: 1 });
  ms = 4000;
  timeLeft.record({ event: 'progress', path: 'a', received: 5, position: 95, total: 100 });
  assert.equal(timeLeft.seconds(0, 1), 4);
});
