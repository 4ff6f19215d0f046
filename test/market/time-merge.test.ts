import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type TimedBatch, TimeMerge } from '../../src/market/time-merge.js';

interface Batch extends TimedBatch {
  /** Index of the first message within its input. */
  readonly first: number;
}

type Found = readonly [input: number, message: number, time: number];

/** Batches of an input, some of them empty; arrays are longer than their count. */
async function* inputOf(batches: readonly (readonly number[])[], ended?: () => void): AsyncGenerator<Batch> {
  let first = 0;
  try {
    for (const times of batches) {
      await Promise.resolve();
      yield { count: times.length, localTimestamps: Float64Array.from([...times, -1]), first };
      first += times.length;
    }
  } finally {
    ended?.();
  }
}

async function mergedOf(inputs: readonly (readonly (readonly number[])[])[]): Promise<Found[]> {
  return foundIn(new TimeMerge(inputs.map((batches) => inputOf(batches))));
}

async function foundIn(merge: TimeMerge<Batch>): Promise<Found[]> {
  const found: Found[] = [];
  while (await merge.fill()) {
    while (merge.next()) {
      const { batch, input, start, end } = merge;
      assert.ok(end > start);
      for (let i = start; i < end; i++) found.push([input, batch.first + i, batch.localTimestamps[i] ?? -1]);
    }
  }
  return found;
}

/** Repeatedly selects the first input whose next message is the oldest. */
function naiveMerge(inputs: readonly (readonly number[])[]): Found[] {
  const at = inputs.map(() => 0);
  const found: Found[] = [];
  for (;;) {
    const nexts = inputs.map((times, i) => times[at[i] ?? 0] ?? Infinity);
    const least = Math.min(...nexts);
    if (least === Infinity) return found;
    const input = nexts.indexOf(least);
    found.push([input, at[input] ?? 0, least]);
    at[input] = (at[input] ?? 0) + 1;
  }
}

const inputs = fc.array(fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 6 }), { maxLength: 5 }), {
  maxLength: 9,
});

test('merges inputs in any order, also if their times go back, like a naive merge', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async (all) => {
      assert.deepEqual(await mergedOf(all), naiveMerge(all.map((batches) => batches.flat())));
    }),
    { numRuns: 1000 },
  );
});

test('merges inputs with notBefore equally, and gives earlier messages first', async () => {
  /** Before each batch yields an empty one with `notBefore`, if it has messages. */
  async function* announced(batches: readonly (readonly number[])[]): AsyncGenerator<Batch> {
    for await (const batch of inputOf(batches)) {
      const notBefore = batch.count === 0 ? undefined : Math.min(...batch.localTimestamps.subarray(0, -1));
      yield { count: 0, localTimestamps: new Float64Array(), first: batch.first, notBefore };
      yield batch;
    }
  }
  await fc.assert(
    fc.asyncProperty(inputs, async (all) => {
      const sorted = all.map((batches) => batches.map((times) => [...times].sort((a, b) => a - b)));
      const merge = new TimeMerge(sorted.map((batches) => announced(batches)));
      assert.deepEqual(await foundIn(merge), naiveMerge(sorted.map((batches) => batches.flat())));
    }),
    { numRuns: 1000 },
  );
  const never = new Promise<Batch>(() => {});
  async function* slow(): AsyncGenerator<Batch> {
    yield { count: 0, localTimestamps: new Float64Array(), first: 0, notBefore: 2 };
    yield await never;
  }
  const merge = new TimeMerge<Batch>([inputOf([[1, 2], [3]]), slow()]);
  assert.equal(await merge.fill(), true);
  assert.equal(merge.next(), true);
  // At equal times the first input comes first.
  assert.deepEqual([merge.input, merge.start, merge.end], [0, 0, 2]);
});

test('merges sorted inputs like a stable sort of all messages', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async (all) => {
      const sorted = all.map((batches) => {
        const times = batches.flat().sort((a, b) => a - b);
        return batches.map(({ length }) => times.splice(0, length));
      });
      const expected = sorted
        .flatMap((batches, input) => batches.flat().map((time, i): Found => [input, i, time]))
        .sort((a, b) => a[2] - b[2]);
      assert.deepEqual(await mergedOf(sorted), expected);
    }),
    { numRuns: 1000 },
  );
});

test('reads an input only when its next message is needed', async () => {
  async function* failing(): AsyncGenerator<Batch> {
    yield { count: 2, localTimestamps: Float64Array.of(3, 7), first: 0 };
    throw new Error('corrupt');
  }
  const ended: number[] = [];
  const merge = new TimeMerge([inputOf([[1, 6, 8]], () => ended.push(0)), failing()]);
  const times: number[] = [];
  await assert.rejects(async () => {
    while (await merge.fill()) {
      while (merge.next()) times.push(...merge.batch.localTimestamps.subarray(merge.start, merge.end));
    }
  }, /corrupt/);
  assert.deepEqual(times, [1, 3, 6, 7]);
  await merge.close();
  assert.deepEqual(ended, [0]);
});

test('accepts no inputs, and inputs without messages', async () => {
  assert.deepEqual(await mergedOf([]), []);
  assert.deepEqual(await mergedOf([[], [[], []]]), []);
});
