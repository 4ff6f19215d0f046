import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBarStream, createSnapshotStream } from '../../../src/market/day-file/computed-stream.js';
import { BookSnapshotLines, TradeBarLines } from '../../../src/market/lines/computed-lines.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import { rounds } from '../../helpers/services.js';
import { batchesOf, csvOf } from '../batches.js';
import { linesOf } from '../lines-of.js';
import { type Row, tradeOf } from '../naive/messages.js';
import { NaiveBars } from '../naive/trade-bars.js';
import { barSpec, bookRows, DAY_END, DAY_START, snapshotSpec, tradeRows } from './arbitraries.js';

/** Bars of a day file as lines. */
function barsOf(rows: readonly Row[], name: string, batchRows: number): string[] {
  const type = parseMessageType(name);
  if (type.kind !== 'trade_bar') throw new Error(`${name} is no bar`);
  const { batches } = batchesOf('trades', csvOf('trades', rows), batchRows);
  const out = new LineBuffer();
  const day = { start: DAY_START, end: DAY_END };
  const bars = createBarStream([type], day, (bar) => new TradeBarLines(type, bar.instrument).write(bar, out));
  for (const batch of batches) bars.push(batch);
  bars.end();
  return textsOf(out);
}

function textsOf(out: LineBuffer): string[] {
  return Buffer.from(out.bytes.subarray(0, out.length)).toString().split('\n').slice(0, -1);
}

test("writes a day's open bars, too, by first appearance of the symbols; stray trades count within the day", () => {
  // Exchange times up to two days outside the day.
  const strays = fc.tuple(
    tradeRows,
    fc.array(fc.constantFrom(0, 0, 0, -1, 1), { minLength: 60, maxLength: 60 }),
  );
  fc.assert(
    fc.property(strays, barSpec, fc.integer({ min: 1, max: 20 }), ([trades, days], spec, batchRows) => {
      const rows = trades.map((row, i) => ({
        ...row,
        timestamp: `${Number(row['timestamp']) + (days[i] ?? 0) * 2 * 86_400_000_000}`,
      }));
      const bySymbol = new Map<string, NaiveBars>();
      const expected = rows.flatMap((row) => {
        const trade = tradeOf(row);
        const bars = bySymbol.get(trade.symbol) ?? new NaiveBars(spec, { start: DAY_START, end: DAY_END });
        bySymbol.set(trade.symbol, bars);
        return bars.take(trade);
      });
      expected.push(...[...bySymbol.values()].flatMap((bars) => bars.end()));
      assert.deepEqual(
        barsOf(rows, spec.name, batchRows),
        expected.map((bar) => JSON.stringify(bar)),
      );
    }),
    { numRuns: rounds(100) },
  );
});

test("a day's snapshots equal those of a replay", () => {
  fc.assert(
    fc.property(bookRows, snapshotSpec, fc.integer({ min: 1, max: 20 }), (rows, spec, batchRows) => {
      const type = parseMessageType(spec.name);
      if (type.kind !== 'book_snapshot') throw new Error(`${spec.name} is no snapshot`);
      const csv = csvOf('incremental_book_L2', rows);
      const { batches } = batchesOf('incremental_book_L2', csv, batchRows);
      const out = new LineBuffer();
      const snapshots = createSnapshotStream([type], (snapshot) =>
        new BookSnapshotLines(type, snapshot.instrument).write(snapshot, out),
      );
      for (const batch of batches) snapshots.push(batch);
      snapshots.end();
      assert.deepEqual(
        textsOf(out),
        linesOf('incremental_book_L2', csv, [spec.name]).map(({ text }) => text),
      );
    }),
    { numRuns: rounds(50) },
  );
});
