import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import { assertDays, type DaySelection, listDays, selectDays } from '../../src/day-files/day-selection.js';

const UNTIL = parseDay('2024-03-10');

test('dates, ranges and the last days, of which weekdays and free days leave some', () => {
  const cases: readonly (readonly [DaySelection, readonly string[]])[] = [
    [{ date: ['2024-03-03', '2024-03-01'] }, ['2024-03-01', '2024-03-03']],
    [{ last: 2 }, ['2024-03-08', '2024-03-09']],
    [{ from: '2024-02-29', to: '2024-03-02' }, ['2024-02-29', '2024-03-01']],
    [{ from: '2024-01-15', to: '2024-03-02', free: true }, ['2024-02-01', '2024-03-01']],
    [{ date: ['2024-02', '2024-03-01'], free: true }, ['2024-02-01', '2024-03-01']],
    [{ last: 8, weekdays: ['sat', 'sun'] }, ['2024-03-02', '2024-03-03', '2024-03-09']],
  ];
  for (const [selection, days] of cases) {
    assertDays(selection, true);
    assert.deepEqual(listDays(selectDays(selection, UNTIL)), days, JSON.stringify(selection));
  }
  assert.equal(listDays(selectDays({ date: ['2024-02'] }, undefined)).length, 29);
  const open = selectDays({ free: true }, undefined);
  assert.deepEqual([open.from, open.to, open.has(parseDay('2020-05-01'))], [-Infinity, Infinity, true]);
});

test('refuses days in two ways, and a range without any of the days', () => {
  const wrong: readonly (readonly [DaySelection, RegExp])[] = [
    [{ date: ['2024-03'], last: 1 }, /use only one of: --date, or --last/],
    [{ last: 1, from: '2024-03-01' }, /use only one of/],
    [{ from: '2024-03-01', to: '2024-03-01' }, /--to 2024-03-01 is exclusive/],
    [{ date: ['2024-03-02', '2024-03-05'], free: true }, /^--free: none of .* 2024-03-02 to 2024-03-05$/],
    [{ date: ['2024-03-01'], weekdays: ['sat'] }, /^--weekdays sat: none of these days in 2024-03-01$/],
    [{ weekdays: ['payday'], free: true }, /"payday" is not a weekday/],
  ];
  for (const [selection, message] of wrong)
    assert.throws(() => assertDays(selection, true), { code: 'usage', message }, JSON.stringify(selection));
  assert.throws(() => assertDays({}, true), { message: /no days selected/ });
  assert.throws(() => assertDays({ to: '2024-03-01' }, true), { message: /--to requires --from/ });
  // A folder has other days.
  for (const selection of [{}, { to: '2024-03-01' }, { weekdays: ['sat'] }]) assertDays(selection, false);
});
