import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DataType } from '../../../src/day-files/data-types.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { rounds } from '../../helpers/services.js';
import { csvOf, rowsOf } from '../batches.js';
import { type Line, linesOf } from '../lines-of.js';
import { NaiveSnapshots } from '../naive/book-snapshots.js';
import { bySymbol } from '../naive/by-symbol.js';
import { changeMessage, changesOf, type Plain, type Row, rowMessage, tradeOf } from '../naive/messages.js';
import { NaiveBars } from '../naive/trade-bars.js';
import { barSpec, bookRows, messageRows, ROW_TYPES, snapshotSpec, tradeRows } from './arbitraries.js';

const shape = fc.record({ batchRows: fc.integer({ min: 1, max: 20 }) });

function assertLines(found: readonly Line[], expected: readonly Plain[]): void {
  assert.deepEqual(
    found.map(({ text }) => text),
    expected.map((message) => JSON.stringify(message)),
  );
}

test('lines of trades and bars equal those of a naive implementation', () => {
  fc.assert(
    fc.property(
      tradeRows,
      fc.array(barSpec, { maxLength: 3 }),
      fc.boolean(),
      shape,
      (rows, specs, source, how) => {
        const bars = specs.map((spec) => bySymbol(() => new NaiveBars(spec)));
        const expected = rows.flatMap((row) => {
          const trade = tradeOf(row);
          return [
            ...(source ? [rowMessage('trade', row)] : []),
            ...bars.flatMap((of) => of(trade).take(trade)),
          ];
        });
        const names = [...specs.map(({ name }) => name), ...(source ? ['trade'] : [])];
        assertLines(linesOf('trades', csvOf('trades', rows), names, how), expected);
      },
    ),
    { numRuns: rounds(50) },
  );
});

test('lines of book changes and snapshots equal those of a naive implementation', () => {
  fc.assert(
    fc.property(
      bookRows,
      fc.array(snapshotSpec, { maxLength: 3 }),
      fc.boolean(),
      shape,
      (rows, specs, source, how) => {
        const snapshots = specs.map((spec) => bySymbol(() => new NaiveSnapshots(spec)));
        const expected = changesOf(rows).flatMap((change) => [
          ...(source ? [changeMessage(change)] : []),
          ...snapshots.flatMap((of) => of(change).take(change)),
        ]);
        const names = [...specs.map(({ name }) => name), ...(source ? ['book_change'] : [])];
        const csv = csvOf('incremental_book_L2', rows);
        assertLines(linesOf('incremental_book_L2', csv, names, how), expected);
      },
    ),
    { numRuns: rounds(80) },
  );
});

test('if a period begins within the day, the book has earlier changes and snapshots start empty', () => {
  fc.assert(
    fc.property(bookRows, snapshotSpec, fc.nat(), fc.nat(), shape, (rows, spec, a, b, how) => {
      const changes = changesOf(rows);
      const times = [0, ...changes.map(({ localTimestamp }) => localTimestamp)];
      const period = { start: times[a % times.length] ?? 0, end: (times[b % times.length] ?? 0) + 1 };
      const snapshots = bySymbol(() => new NaiveSnapshots(spec));
      const ended = changes.findIndex((change) => change.localTimestamp >= period.end);
      const begun = changes.findIndex((change) => change.localTimestamp >= period.start);
      const expected = changes.slice(0, ended < 0 ? undefined : ended).flatMap((change, i) => {
        if (begun >= 0 && i >= begun) return [changeMessage(change), ...snapshots(change).take(change)];
        snapshots(change).older(change);
        return [];
      });
      const csv = csvOf('incremental_book_L2', rows);
      assertLines(
        linesOf('incremental_book_L2', csv, ['book_change', spec.name], { ...how, period }),
        expected,
      );
    }),
    { numRuns: rounds(50) },
  );
});

test('selects trades of a period, and of one symbol of a grouped file', () => {
  fc.assert(
    fc.property(tradeRows, barSpec, fc.nat(), shape, (rows, spec, a, how) => {
      const start = Number(rows[a % rows.length]?.['local_timestamp'] ?? 0);
      const wanted = rows.filter(
        (row) => Number(row['local_timestamp']) >= start && row['symbol'] === 'ETHUSDT',
      );
      const bars = new NaiveBars(spec);
      const expected = wanted.flatMap((row) => [rowMessage('trade', row), ...bars.take(tradeOf(row))]);
      const options = { ...how, period: { start, end: Infinity }, isWanted: (s: string) => s === 'ETHUSDT' };
      assertLines(linesOf('trades', csvOf('trades', rows), ['trade', spec.name], options), expected);
    }),
    { numRuns: rounds(50) },
  );
});

for (const [dataType, type] of Object.entries(ROW_TYPES) as [DataType, string][]) {
  test(`${type}: lines equal JSON.stringify of the row's message for any cells`, () => {
    fc.assert(
      fc.property(messageRows(dataType), shape, (rows, how) => {
        const expected = rows.map((one) => rowMessage(type, one));
        assertLines(linesOf(dataType, csvOf(dataType, rows), [type], how), expected);
      }),
      { numRuns: rounds(50) },
    );
  });
}

test('formats many distinct ids, which are plain text', () => {
  const rows = Array.from({ length: 5000 }, (_, i): Row => {
    const times = { timestamp: `${i}`, local_timestamp: `${i + 1}` };
    return {
      exchange: 'x',
      symbol: `S${i % 2500}`,
      id: `${i % 7 === 0 ? '\\' : ''}${i}`,
      price: '1',
      amount: `${i}`,
      ...times,
    };
  });
  const expected = rows.map((row) => rowMessage('trade', row));
  assertLines(linesOf('trades', csvOf('trades', rows), ['trade'], { batchRows: 5000 }), expected);
});

test('formats the first rows of real day files', { skip: NO_SAMPLES }, () => {
  let seen = 0;
  for (const name of SAMPLES) {
    const dataType = Object.keys({ ...ROW_TYPES, incremental_book_L2: '' }).find((type) =>
      name.includes(`_${type}_`),
    );
    if (dataType === undefined) continue;
    const csv = readFileSync(join(SAMPLES_DIR, name), 'utf8');
    const rows = rowsOf(csv);
    if (dataType === 'incremental_book_L2') {
      const lines = linesOf(dataType, csv, ['book_change'], { batchRows: 3 });
      assertLines(lines, changesOf(rows).map(changeMessage));
    } else {
      const type = ROW_TYPES[dataType as keyof typeof ROW_TYPES];
      assertLines(
        linesOf(dataType as DataType, csv, [type]),
        rows.map((row) => rowMessage(type, row)),
      );
    }
    seen++;
  }
  assert.ok(seen >= 5);
});

test('a level without a price or an amount is an error, not one of 0', () => {
  const level = {
    exchange: 'x',
    symbol: 'X',
    timestamp: 1,
    local_timestamp: 1,
    is_snapshot: true,
    side: 'bid',
  };
  for (const row of [
    { ...level, price: '1' },
    { ...level, amount: '1' },
  ] as unknown as Row[])
    assert.throws(
      () => linesOf('incremental_book_L2', csvOf('incremental_book_L2', [row]), ['book_change'], {}),
      { code: 'corrupt', message: /line \d, column (price|amount): "" is empty/ },
    );
});
