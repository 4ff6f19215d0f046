import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, formatDay } from '../../src/day-files/day.js';
import { listStartDays } from '../../src/export/export-files.js';

const series = (dataType: string, symbol: string, first: number, until: number) => ({
  dataType,
  symbol,
  first: first as Day,
  until: until as Day,
});

test('two series of a symbol share a day exactly if their days overlap', () => {
  const days = [0, 1, 2, 3, 4, 5, 6, 7];
  for (const from of days.slice(0, 7)) {
    for (const first of days) {
      const all = [series('quotes', 'A', 2, 5), series('book_ticker', 'A', first, first + 2)];
      const planned = all.filter((each) => each.until > from && each.first < 7);
      const files = listStartDays({
        exchange: 'x',
        range: { from: from as Day, to: 7 as Day },
        series: planned,
      });
      const daysOf = (type: string) =>
        files.filter(({ dataType }) => dataType === type).map(({ day }) => formatDay(day));
      const isShared = daysOf('quotes').some((day) => daysOf('book_ticker').includes(day));
      const overlap = days.some((day) => day >= Math.max(from, 2, first) && day < Math.min(5, first + 2, 7));
      assert.equal(isShared, overlap, `from ${from}, first ${first}`);
      for (const { dataType } of planned) assert.ok(daysOf(dataType).length > 0);
    }
  }
});

test('start days of another symbol are not those of a series', () => {
  const files = listStartDays({
    exchange: 'x',
    range: { from: 0 as Day, to: 9 as Day },
    series: [series('trades', 'A', 1, 9), series('trades', 'B', 4, 9)],
  });
  assert.deepEqual(
    files.map(({ symbol, day }) => [symbol, day]),
    [
      ['A', 1],
      ['B', 4],
    ],
  );
});
