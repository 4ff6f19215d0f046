import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedTrades, TradeColumns, type TradeRows } from '../../../src/export/freqtrade/sorted-trades.js';

interface Trade {
  readonly timestamp: number;
  /** Its position among all trades, which its id, price and amount name. */
  readonly number: number;
}

function toRows(trades: readonly Trade[]): TradeRows {
  const columns = new TradeColumns();
  for (const { timestamp, number } of trades) {
    const ids = Buffer.from(String(number));
    const idOffsets = Int32Array.of(0, ids.length);
    const [timestamps, prices, amounts] = [timestamp, number, -number].map((value) => Float64Array.of(value));
    columns.append({ timestamps, prices, amounts, sides: Uint8Array.of(1), idOffsets, ids } as TradeRows, 0);
  }
  return columns.slice(0, trades.length);
}

function fromRows({ timestamps, prices, amounts, idOffsets, ids }: TradeRows): Trade[] {
  return Array.from(timestamps, (timestamp, row) => {
    const number = prices[row] as number;
    assert.equal(amounts[row], -number);
    assert.equal(Buffer.from(ids.subarray(idOffsets[row], idOffsets[row + 1])).toString(), String(number));
    return { timestamp, number };
  });
}

/** Batches of more trades than the columns first have memory for; mostly in order, with some at an earlier time. */
const steps = fc.array(
  fc.record({
    rows: fc.integer({ min: 1, max: 400 }),
    late: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      fc.record({ row: fc.oneof(fc.nat(2), fc.nat(399)), by: fc.nat(900) }),
    ),
    /** The share that is then taken. */
    taken: fc.constantFrom(0, 0.5, 0.5, 1),
  }),
  { minLength: 1, maxLength: 25 },
);

test('takes trades in the order of their times, and those of equal times in that of their addition', () => {
  fc.assert(
    fc.property(steps, (found) => {
      const sorted = new SortedTrades();
      let expected: Trade[] = [];
      let count = 0;
      for (const { rows, late, taken } of found) {
        const batch = Array.from({ length: rows }, (_, row) => {
          const number = count++;
          return { number, timestamp: (number >> 1) - (row === late?.row ? late.by : 0) };
        });
        const columns = toRows(batch);
        if (!sorted.addIfSorted(columns)) for (let row = 0; row < rows; row++) sorted.add(columns, row);
        expected = [...expected, ...batch].sort((a, b) => a.timestamp - b.timestamp);
        assert.equal(sorted.rows, expected.length);
        assert.equal(sorted.firstTimestamp, expected[0]?.timestamp);
        const first = Math.ceil(taken * expected.length);
        if (first > 0) assert.deepEqual(fromRows(sorted.take(first)), expected.splice(0, first));
      }
      if (expected.length > 0) assert.deepEqual(fromRows(sorted.take(expected.length)), expected);
    }),
    { numRuns: 100 },
  );
});
